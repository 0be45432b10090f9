//@ verdict: SAFE --check noreturn
// Whatever the code is, the function that reports it ends the program.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static _Noreturn void fail(int code) {
    if (code > 0)
        exit(code);
    abort();
}

int main(void) {
    int code = __VERIFIER_nondet_int();
    if (code != 0)
        fail(code);
    return 0;
}
