//@ options: --time-limit 60s
#include <assert.h>

unsigned any(void);

int main(void) {
    unsigned long n = any(), a = any(), b = any();
    if (a < 2 || b < 2 || a > 6 || b > n) return 0;
    assert(a * b != 4294967291ul);
}
