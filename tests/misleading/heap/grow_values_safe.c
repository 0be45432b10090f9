/* An array that grows: what is read of it was written before or behind a move. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct ints {
    int *data;
    int length, capacity;
};
static int grow(int **data, int *length, int *capacity) {
    if (*length < *capacity)
        return 1;
    int more = *capacity == 0 ? 1 : 2 * *capacity;
    int *moved = realloc(*data, more * sizeof **data);
    if (!moved)
        return 0;
    *data = moved;
    *capacity = more;
    return 1;
}
int main(void) {
    struct ints v = {0, 0, 0};
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        if (!grow(&v.data, &v.length, &v.capacity))
            break;
        v.data[v.length++] = i;
    }
    int k = __VERIFIER_nondet_int();
    int some = k >= 0 && k < v.length ? v.data[k] : 0;
    free(v.data);
    return some;
}
