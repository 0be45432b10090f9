//@ options: --tune bytes=off
#include <assert.h>
#include <string.h>

unsigned any(void);

int main(void) {
    union word { unsigned word; unsigned char bytes[4]; } u, copy;
    u.word = any();
    for (int i = 0; i < 4; i++) u.bytes[i] &= 15;
    memcpy(&copy, &u, sizeof copy);
    assert((copy.word & 0xf0f0f0f0) == 0);
}
