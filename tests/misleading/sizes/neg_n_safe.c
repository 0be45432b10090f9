#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    char *p = malloc(n);
    if (!p || n == 0)return 0;
    p[n-1] = 0;
    return 0;
}
