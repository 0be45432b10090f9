/* All elements have the member that is read. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct pair {
    long number;
    short mark, other;
};
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    struct pair *p = malloc(n * sizeof *p);
    if (!p)
        return 1;
    for (int i = 0; i < n; i++) {
        p[i].number = i;
        p[i].mark = 1;
    }
    int k = __VERIFIER_nondet_int();
    int sum = k >= 0 && k < n ? p[k].mark : 0;
    free(p);
    return sum;
}
