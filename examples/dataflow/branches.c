#include <stddef.h>

// Both tests are of `p`: where the second one holds, so did the first, and `q` was assigned.
void work(int *p, int *q) {
    if (p != NULL) {
        q = p;
    }
    if (p != NULL)
        *q = *p + 1;
}

int main(void) {
    int x = 1;
    work(&x, NULL);
    work(NULL, &x);
    return x;
}
