#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int *at(int *t, int i) {
    return t+i;
}
int main(void) {
    int t[6];
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 6)return 0;
    *at(t, k) = 2;
    return 0;
}
