//@ verdict: SAFE --check reach
// Two assumptions contradict each other: what stands behind them is never reached, and nothing is proved of it.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void assume(int condition) {
    if (!condition)
        abort();
}

int main(void) {
    int speed = __VERIFIER_nondet_int();
    assume(speed > 50);
    __VERIFIER_assume(speed < 30);
    assert(speed < 40);    //@ UNREACHABLE
    if (speed == 17)
        reach_error();     //@ UNREACHABLE
    return 0;
}
