//@ verdict: SAFE
// Reversed in place, an array has each element at the other end.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[60], before[60], n = input(), i, j;
    if (n < 1 || n > 60) return 0;
    for (i = 0; i < n; i++) before[i] = a[i] = input();
    for (i = 0, j = n - 1; i < j; i++, j--) { int t = a[i]; a[i] = a[j]; a[j] = t; }
    for (i = 0; i < n; i++) assert(a[i] == before[n - 1 - i]);
    return 0;
}
