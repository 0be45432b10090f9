#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4], b[8];
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 2000)return 0;
    int *p = a+i;
    int *q = b;
    if (p == q) return 0;
    p[0] = 1;
    return 0;
}
