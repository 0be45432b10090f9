#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
    unsigned long n = __VERIFIER_nondet_ulong();
    if (n == 0)return 0;
    int *p = malloc(n*sizeof *p);
    if (!p)return 0;
    p[n-1] = 0;
    return 0;
}
