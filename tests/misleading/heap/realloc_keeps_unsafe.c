/* What fits into both is kept; the rest is not known. */
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
    int *a = malloc(4 * sizeof *a), *b, *c;
    if (!a)
        return 0;
    a[0] = 10;
    a[3] = 40;
    b = realloc(a, 6 * sizeof *b);
    if (!b)
        return 0;
    if (b[0] != 10 || b[4] != 40)
        reach_error();
    b[1] = 20;
    c = realloc(b, 2 * sizeof *c);
    if (c && (c[0] != 10 || c[1] != 20))
        reach_error();
    return 0;
}
