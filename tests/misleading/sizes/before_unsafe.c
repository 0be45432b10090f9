#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int t[4];
    int *p = t+2;
    int k = __VERIFIER_nondet_int();
    if (k<-3 || k > 1)return 0;
    p[k] = 1;
    return 0;
}
