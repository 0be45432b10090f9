//@ verdict: UNSAFE --check leak
// The second failure forgets the first allocation.
#include <stdlib.h>

int main(void) {
    int *a = malloc(sizeof *a);
    int *b;
    if (!a)
        return 1;
    b = malloc(sizeof *b);
    if (!b)
        return 1;
    free(b);
    free(a);
    return 0;
}
