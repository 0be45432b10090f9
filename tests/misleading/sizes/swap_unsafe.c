#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4], b[8];
    int *p = a, *q = b;
    if (__VERIFIER_nondet_int()) {
        int *t = p;
        p = q;
        q = t;
    }
    q[7] = 1;
    return 0;
}
