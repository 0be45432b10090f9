/* Breaks the rule c/malloc. */
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a), *b = malloc(sizeof *b);
    if (a == NULL || b == NULL)
        return 1; /* one of the two may be there */
    *b = 1;
    free(b);
    free(a);
    return 0;
}
