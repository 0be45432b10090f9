#include <stdlib.h>
int main(void) {
    int *p = malloc(8);
    if (!p)return 0;
    int *q = malloc(16);
    if (!q)return 0;
    p[1] = 1;
    free(p);
    p = q;
    p[3] = 1;
    return 0;
}
