//@ verdict: SAFE
// The largest element of an array is at least as large as each of them.
#include <assert.h>
extern int input(void);
int main(void) {
    int a[100], n = input(), i, most, at;
    if (n < 1 || n > 100) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    most = a[0];
    for (i = 1; i < n; i++) if (a[i] > most) most = a[i];
    for (i = 0; i < n; i++) assert(a[i] <= most);
    return 0;
}
