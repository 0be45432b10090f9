#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4], b[8];
    int *p = a, *q = b;
    if (__VERIFIER_nondet_int()) {
        int *t = p;
        p = q;
        q = t;
        p[7] = 1;
        q[3] = 1;
    }
    else q[7] = 1;
    return 0;
}
