#include "ini.h"

char __VERIFIER_nondet_char(void);

static int seen(void *user, const char *section, const char *name, const char *value) {
    ++*(int *)user;
    return section && name && value;
}

int main(void) {
    char text[12];
    int count = 0;
    for (int i = 0; i < 11; i++)
        text[i] = __VERIFIER_nondet_char();
    text[11] = 0;
    return ini_parse_string(text, seen, &count) < 0;
}
