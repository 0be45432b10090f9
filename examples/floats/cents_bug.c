//@ verdict: UNSAFE
// A tenth is no number of the machine's: the conversion cuts off a cent.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int cents = __VERIFIER_nondet_int();
    if (cents < 0 || cents > 4000)
        return 0;
    double price = cents * 0.01;
    assert((int)(price * 100.0) == cents);
    return 0;
}
