//@ verdict: UNSAFE --check free
// Only the start of an allocation can be freed.
#include <stdlib.h>

int main(void) {
    char *p = malloc(4);
    if (!p)
        return 0;
    p++;
    free(p);
    return 0;
}
