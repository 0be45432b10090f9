#include "re.h"

char __VERIFIER_nondet_char(void);

int main(void) {
    char pattern[6], text[6];
    int length;
    for (int i = 0; i < 5; i++) {
        pattern[i] = __VERIFIER_nondet_char();
        text[i] = __VERIFIER_nondet_char();
    }
    pattern[5] = text[5] = 0;
    return re_match(pattern, text, &length) < 0;
}
