#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0)return 0;
    long *p = calloc(n, sizeof *p);
    if (!p)return 0;
    p[n-1] = 1;
    return 0;
}
