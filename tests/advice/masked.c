//@ options: --tune integers=math,without=unrolling
#include <assert.h>

unsigned any(void);

int main(void) {
    unsigned value = any(), high = value >> 16, low = value & 0xffff;
    assert((high << 16 | low) == value);
}
