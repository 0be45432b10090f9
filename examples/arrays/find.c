//@ verdict: SAFE
// The place that a search gives is the first one.
#include <assert.h>
extern int input(void);
static int find(const int *a, int n, int wanted) {
    for (int i = 0; i < n; i++) if (a[i] == wanted) return i;
    return -1;
}
int main(void) {
    int a[100], n = input(), wanted = input(), i, at;
    if (n < 0 || n > 100) return 0;
    for (i = 0; i < n; i++) a[i] = input();
    at = find(a, n, wanted);
    if (at >= 0) assert(a[at] == wanted);
    for (i = 0; i < (at < 0 ? n : at); i++) assert(a[i] != wanted);
    return 0;
}
