//@ options: --tune integers=math,without=unrolling
#include <assert.h>

unsigned any(void);

int main(void) {
    unsigned low = any(), high = any();
    if (low > high) return 0;
    unsigned middle = (low & high) + ((low ^ high) >> 1);
    assert(low <= middle && middle <= high);
}
