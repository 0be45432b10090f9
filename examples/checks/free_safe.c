//@ verdict: SAFE --check free
// What is freed is not touched again: the pointer says whether it is still there.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = 1;
    if (__VERIFIER_nondet_int()) {
        free(p);
        p = 0;
    }
    if (p) {
        *p = 2;
        free(p);
    }
    return 0;
}
