//@ options: --tune integers=math,without=unrolling
#include <assert.h>

unsigned read_flags(void);

int main(void) {
    unsigned flags = read_flags();
    flags |= 8;
    flags &= ~4u;
    assert((flags & 12) == 8);
}
