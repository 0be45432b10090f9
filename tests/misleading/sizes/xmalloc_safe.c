#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void *xm(size_t n) {
    void *p = malloc(n);
    if (!p)abort();
    return p;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100)return 0;
    long *p = xm(n*sizeof *p);
    for (int i = 0; i < n; i++)p[i] = 0;
    return 0;
}
