//@ verdict: UNSAFE --check reach
// Every verdict in one file: a check that holds, one that fails, one that is never reached, one that is not decided
// (the conversion of `long double`).
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int absolute(int x) {
    return x < 0 ? -x : x;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    __VERIFIER_assume(-100 < a && a < 100);
    __VERIFIER_assume(0 < b && b < 100);
    int larger = a > b ? a : b;
    assert(larger >= b);     //@ SAFE
    assert(absolute(a) > 0); //@ UNSAFE
    if (b > 100)
        assert(a == b);  //@ UNREACHABLE
    long double third = b / 3.0L;
    assert(third > 0.0L); //@ UNKNOWN
    int i = 0;
    while (i != b)
        i++;
    assert(i > 0);       //@ SAFE if 23
    return 0;
}
