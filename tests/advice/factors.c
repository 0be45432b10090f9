//@ options: --time-limit 2s
#include <assert.h>

unsigned any(void);

int main(void) {
    unsigned long n = any(), a = any(), b = any();
    if (a < 2 || b < 2 || a > n || b > n) return 0;
    assert(a * b != 4294967291ul);
}
