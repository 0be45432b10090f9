/* A block of any size is filled from its start, and one element more is read. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    int *p = malloc(n * sizeof *p);
    if (!p)
        return 1;
    for (int i = 0; i < n - 1; i++)
        p[i] = i;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum ^= p[i];
    free(p);
    return sum;
}
