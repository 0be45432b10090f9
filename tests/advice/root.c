#include <assert.h>
#include <math.h>

int any(void);

int main(void) {
    double root = sqrt(any() & 1023);
    assert(root >= 0.0);
}
