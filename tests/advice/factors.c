//@ options: --time-limit 2s
//@ bounded: --time-limit 60s -DMOST=6
#include <assert.h>

unsigned any(void);

#ifndef MOST
#define MOST n
#endif

int main(void) {
    unsigned long n = any(), a = any(), b = any();
    if (a < 2 || b < 2 || a > MOST || b > n) return 0;
    assert(a * b != 4294967291ul);
}
