//@ verdict: SAFE
// Slides 43 and 44: the callee changes its caller's local through a pointer formal.
#include <assert.h>

void increment(int *a) {
    *a = *a + 1;
}

int main(void) {
    int x = 1;
    increment(&x);
    assert(x == 2);
    return 0;
}
