#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    char b[16];
    char *p = b+sizeof b;
    unsigned v = __VERIFIER_nondet_uint();
    *--p = 0;
    do {
        *--p='0'+v%10;
        v/=10;
    }
    while (v && p > b);
    return *p == 0;
}
