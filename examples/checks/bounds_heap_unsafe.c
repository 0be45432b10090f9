//@ verdict: UNSAFE --check bounds
// The object has as many bytes as the program asked for, not as many elements.
#include <stdlib.h>

int main(void) {
    int *p = malloc(10);
    if (!p)
        return 0;
    p[1] = 2;
    p[2] = 3;
    return 0;
}
