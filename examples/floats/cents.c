//@ verdict: SAFE
// An amount in whole cents survives a turn through floating point.
#include <assert.h>
#include <math.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int cents = __VERIFIER_nondet_int();
    if (cents < 0 || cents > 4000)
        return 0;
    float price = (float)cents / 4.0f;
    assert(lroundf(price * 4.0f) == cents);
    assert(floorf(price) <= price && price < 1001.0f);
    return 0;
}
