#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int t[3];
    char *c = (char*)t;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 12)return 0;
    c[k] = 1;
    return 0;
}
