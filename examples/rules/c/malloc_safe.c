/* Keeps the rule c/malloc. */
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a), *b = malloc(sizeof *b);
    if (a == NULL || b == NULL) {
        free(a);
        free(b);
        return 1;
    }
    *b = 1;
    free(b);
    free(a);
    return 0;
}
