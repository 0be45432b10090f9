//@ verdict: SAFE --check all
// Reads numbers into a vector that doubles its room when it is full, and prints them from the last
// to the first.
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct vector {
    int *items;
    size_t size;
    size_t capacity;
};

static int vector_add(struct vector *v, int item) {
    if (v->size == v->capacity) {
        size_t wanted = v->capacity == 0 ? 4 : v->capacity * 2;
        int *items;
        if (v->capacity > SIZE_MAX / 2 / sizeof *items)
            return 0;
        items = realloc(v->items, wanted * sizeof *items);
        if (items == NULL)
            return 0;
        v->items = items;
        v->capacity = wanted;
    }
    v->items[v->size] = item;
    v->size++;
    assert(v->size <= v->capacity);
    return 1;
}

int main(void) {
    struct vector v = {NULL, 0, 0};
    size_t i;
    int x;

    while (scanf("%d", &x) == 1) {
        if (!vector_add(&v, x)) {
            fprintf(stderr, "out of memory after %zu numbers\n", v.size);
            free(v.items);
            return 1;
        }
    }
    for (i = v.size; i > 0; i--)
        printf("%d\n", v.items[i - 1]);
    free(v.items);
    return 0;
}
