#include <assert.h>
#include <math.h>

float any(void);

int main(void) {
    double height = sin(any());
    assert(height <= 1.0);
}
