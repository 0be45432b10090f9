//@ verdict: UNSAFE --check order
// Whether a position lies in a buffer is asked of one that may belong to another buffer, which C does not define.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    char first[64], second[64];
    char *at = __VERIFIER_nondet_int() ? first + 3 : second + 3;
    return at >= first && at < first + sizeof first;
}
