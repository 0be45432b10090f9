/* What a turn allocates is nothing that an earlier one kept. */
#include <stdlib.h>
extern void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
    int *kept = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        int *p = malloc(sizeof *p);
        if (!p)
            break;
        if (kept == 0 && __VERIFIER_nondet_int())
            kept = p;
        else if (kept == p)
            reach_error();
        last = p;
    }
    return 0;
}
