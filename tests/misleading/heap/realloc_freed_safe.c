/* What was made larger is freed once. */
#include <stdlib.h>
int main(void) {
    char *a = malloc(4), *b;
    if (!a)
        return 0;
    b = realloc(a, 8);
    free(b ? b : a);
    return 0;
}
