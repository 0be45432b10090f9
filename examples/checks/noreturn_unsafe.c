//@ verdict: UNSAFE --check noreturn
// The function that ends the program comes back with a negative code.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static _Noreturn void fail(int code) {
    if (code > 0)
        exit(code);
}

int main(void) {
    int code = __VERIFIER_nondet_int();
    if (code != 0)
        fail(code);
    return 0;
}
