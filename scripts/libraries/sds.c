#include "sds.h"

char __VERIFIER_nondet_char(void);

int main(void) {
    char text[4];
    for (int i = 0; i < 3; i++)
        text[i] = __VERIFIER_nondet_char();
    text[3] = 0;
    sds s = sdsnew(text);
    if (!s)
        return 1;
    s = sdscat(s, "end");
    if (!s)
        return 1;
    sdstoupper(s);
    sdsfree(s);
    return 0;
}
