//@ verdict: UNKNOWN --check reach --tune refiner=wp,without=bounds,induction,max-iterations=12
// Weakest preconditions alone ask for one more turn of the first loop for ever: the other checks do not wait for that.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sum = 0, step = 0, mode = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        sum = sum + step;
        step = step + 1;
    }
    assert(sum >= 0);         //@ UNKNOWN
    int state = 0;
    while (mode-- > 0)
        state = !state;
    assert(state <= 1);       //@ SAFE if 12
    if (mode == -5)
        assert(mode < state); //@ SAFE if 12
    return 0;
}
