//@ verdict: SAFE --check null
// An allocation may fail: the result is looked at before it is used, also in the callee.
#include <stdlib.h>

struct box {
    int value;
    struct box *next;
};

static int get(struct box *b) {
    return b ? b->value : -1;
}

int main(void) {
    struct box *b = malloc(sizeof *b);
    if (!b)
        return get(b);
    b->value = 1;
    b->next = 0;
    return get(b) + get(b->next);
}
