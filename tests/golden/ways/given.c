#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0, s = 0;
    if (n < 0 || n > 999) return 0;
    while (i < n) {
        s += i;
        i++;
    }
    assert(2 * s == n * (n - 1));
    return 0;
}
