#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int any(void);

int main(void) {
    int *cells = malloc(4 * sizeof *cells), i = any() & 3;
    if (!cells)
        return 1;
    intptr_t number = (intptr_t)&cells[i];
    number |= 1;
    number &= ~(intptr_t)1;
    *(int *)number = 7;
    assert(cells[i] == 7);
}
