#include <assert.h>
#include <math.h>

int any(void);

int main(void) {
    int n = any();
    if (n < 1) return 0;
    assert(log(n) >= 0);
}
