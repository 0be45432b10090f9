//@ verdict: UNSAFE --check null
// An allocation may fail, and nobody looks.
#include <stdlib.h>

struct box {
    int value;
    struct box *next;
};

int main(void) {
    struct box *b = malloc(sizeof *b);
    b->value = 1;
    return 0;
}
