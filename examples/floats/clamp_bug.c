//@ verdict: UNSAFE
// As clamp.c, but what is no number passes both tests.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static float clamped(float x, float least, float most) {
    if (x < least)
        return least;
    return x > most ? most : x;
}

int main(void) {
    float volume = clamped(__VERIFIER_nondet_float(), 0.0f, 11.0f);
    assert(volume >= 0.0f && volume <= 11.0f);
    return 0;
}
