#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct n {
    struct n *x;
    int v;
};
int main(void) {
    struct n *h = 0;
    int k = __VERIFIER_nondet_int();
    for (int i = 0; i < k && i < 5; i++) {
        struct n *y = malloc(sizeof *y);
        if (!y)return 0;
        y->x = h;
        y->v = i;
        h = y;
    }
    int s = 0;
    while (h) {
        s += h->v;
        h = h->x;
    }
    return s;
}
