//@ verdict: SAFE
// Negative numbers of an array come to stand before the others.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[100], n = input(), i, k = 0;
    if (n < 0 || n > 100) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    for (i = 0; i < n; i++)
        if (a[i] < 0) { int t = a[i]; a[i] = a[k]; a[k] = t; k++; }
    for (i = 0; i < k; i++) assert(a[i] < 0);
    for (i = k; i < n; i++) assert(a[i] >= 0);
    return 0;
}
