//@ verdict: UNSAFE
// A clock of seconds as a float stands still after some months.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void) {
    float now = __VERIFIER_nondet_float();
    if (!(now >= 0.0f && now <= 100000000.0f))
        return 0;
    float later = now + 1.0f;
    assert(later > now);
    return 0;
}
