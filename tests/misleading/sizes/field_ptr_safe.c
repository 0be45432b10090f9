#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct s {
    int a;
    int b[3];
    int c;
};
int main(void) {
    struct s x;
    int *q = &x.b[0];
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 3)return 0;
    q[k] = 1;
    return 0;
}
