/* What was freed cannot be made larger. */
#include <stdlib.h>
int main(void) {
    char *a = malloc(4), *b;
    if (!a)
        return 0;
    free(a);
    b = realloc(a, 8);
    free(b);
    return 0;
}
