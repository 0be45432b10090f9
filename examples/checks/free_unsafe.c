//@ verdict: UNSAFE --check free
// An error path frees, and so does the end.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *p = malloc(sizeof *p);
    int failed = __VERIFIER_nondet_int();
    if (failed)
        free(p);
    free(p);
    return 0;
}
