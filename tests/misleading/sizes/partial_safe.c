#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *c = malloc(10);
    if (!c)return 0;
    int *p = (int*)c;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 1)return 0;
    p[k] = 1;
    return 0;
}
