//@ verdict: UNSAFE
// The element before the one that was examined is kept.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[80], kept[80], n = input(), i, k = 0;
    if (n < 1 || n > 80) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    for (i = 1; i < n; i++) if (a[i] != 0) kept[k++] = a[i - 1];
    for (i = 0; i < k; i++) assert(kept[i] != 0);
    return 0;
}
