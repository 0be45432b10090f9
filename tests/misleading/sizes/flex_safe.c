#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct f {
    int n;
    char d[];
};
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100)return 0;
    struct f *x = malloc(sizeof*x+n);
    if (!x)return 0;
    x->n = n;
    for (int i = 0; i < x->n; i++)x->d[i] = 0;
    return 0;
}
