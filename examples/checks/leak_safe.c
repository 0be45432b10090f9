//@ verdict: SAFE --check leak
// Two allocations, each freed on all paths.
#include <stdlib.h>

int main(void) {
    int *a = malloc(sizeof *a);
    int *b;
    if (!a)
        return 1;
    b = malloc(sizeof *b);
    if (!b) {
        free(a);
        return 1;
    }
    free(b);
    free(a);
    return 0;
}
