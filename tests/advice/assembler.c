#include <assert.h>

unsigned any(void);
unsigned swapped(unsigned);

unsigned twice(unsigned x) {
    unsigned y = 0;
    __asm__("bswap %0" : "=r"(y) : "0"(x));
    return y;
}

int main(void) {
    unsigned x = any();
    assert(twice(x) != 1 || x == 1u << 24);
}
