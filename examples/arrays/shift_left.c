//@ verdict: SAFE
// All elements of an array move by one.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[100], n = input(), i;
    if (n < 2 || n > 100) return 0;
    for (i = 0; i < n; i++) a[i] = i * 2;
    for (i = 0; i + 1 < n; i++) a[i] = a[i + 1];
    for (i = 0; i + 1 < n; i++) assert(a[i] == 2 * i + 2);
    return 0;
}
