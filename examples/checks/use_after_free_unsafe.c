//@ verdict: UNSAFE --check free
// A write through a pointer whose object was freed in the callee.
#include <stdlib.h>

static void done(int *p) {
    free(p);
}

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    done(p);
    *p = 1;
    return 0;
}
