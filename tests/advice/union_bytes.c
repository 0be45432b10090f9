//@ options: --bytes off --unroll off --induction off
#include <assert.h>

unsigned any(void);

int main(void) {
    union { unsigned word; unsigned char bytes[4]; } u;
    u.word = any();
    for (int i = 0; i < 4; i++) u.bytes[i] &= 15;
    assert((u.word & 0xf0f0f0f0) == 0);
}
