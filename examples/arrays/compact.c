//@ verdict: SAFE
// What is kept of an array has no holes, and fits where it goes.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[80], kept[80], n = input(), i, k = 0;
    if (n < 0 || n > 80) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    for (i = 0; i < n; i++) if (a[i] != 0) kept[k++] = a[i];
    assert(k <= n);
    for (i = 0; i < k; i++) assert(kept[i] != 0);
    return 0;
}
