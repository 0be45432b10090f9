#include <assert.h>
#include <stdint.h>

int any(void);

int main(void) {
    int cells[4], i = any() & 3;
    intptr_t number = (intptr_t)&cells[i];
    number |= 1;
    number &= ~(intptr_t)1;
    *(int *)number = 7;
    assert(cells[i] == 7);
}
