//@ verdict: SAFE
// A number that is brought into a range; what is no number becomes its lower end.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static float clamped(float x, float least, float most) {
    if (!(x > least))
        return least;
    return x < most ? x : most;
}

int main(void) {
    float volume = clamped(__VERIFIER_nondet_float(), 0.0f, 11.0f);
    assert(volume >= 0.0f && volume <= 11.0f);
    int step = (int)volume;
    assert(step >= 0 && step <= 11);
    return 0;
}
