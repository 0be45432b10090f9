//@ verdict: UNSAFE
// Three assertions of which the first and the last always hold and the one between them can fail.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int larger = a;
    if (b > a)
        larger = b;
    assert(larger >= a);
    if (a != b)
        assert(larger > a);
    assert(larger >= b);
    return 0;
}
