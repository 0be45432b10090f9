//@ verdict: UNSAFE
// The last element is never chosen.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[50], n = input(), i, j;
    if (n < 1 || n > 50) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    for (i = 0; i < n - 1; i++) {
        int least = i;
        for (j = i + 1; j < n - 1; j++) if (a[j] < a[least]) least = j;
        int t = a[i]; a[i] = a[least]; a[least] = t;
    }
    for (i = 1; i < n; i++) assert(a[i - 1] <= a[i]);
    return 0;
}
