//@ verdict: SAFE
// As absorbed_bug.c, for less than 2^24 seconds.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void) {
    float now = __VERIFIER_nondet_float();
    if (!(now >= 0.0f && now < 16777216.0f))
        return 0;
    float later = now + 1.0f;
    assert(later > now);
    return 0;
}
