#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= a[i]; return s; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n > 1000000) return 0;
    int *p = malloc(n * sizeof *p);
    if (!p) return 1;
    for (int i = 0; i < n; i++) p[i] = 0;
    int t[10] = {0};
    return sum(p, n) + sum(t, 10);
}
