//@ verdict: SAFE --check all
// Prints facts about the bits of numbers: how many are set, the lowest one, whether the number is
// a power of two, and the number backwards.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>

static int count_bits(uint32_t x) {
    int n = 0;
    while (x != 0) {
        x &= x - 1;
        n++;
    }
    return n;
}

static uint32_t lowest_bit(uint32_t x) {
    return x & (~x + 1);
}

static int is_power_of_two(uint32_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

static uint32_t backwards(uint32_t x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

int main(void) {
    unsigned x;
    while (scanf("%u", &x) == 1) {
        assert(backwards(backwards(x)) == x);
        assert(x == 0 || is_power_of_two(lowest_bit(x)));
        if (is_power_of_two(x))
            assert(lowest_bit(x) == x);
        printf("%u: %d bits, lowest %u, backwards %u\n", x, count_bits(x), lowest_bit(x),
               (unsigned)backwards(x));
    }
    return 0;
}
