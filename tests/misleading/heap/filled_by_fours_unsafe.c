/* A block is filled four bytes at a time, three of them, and all of it is read. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    unsigned char *p = malloc(4 * n);
    if (!p)
        return 1;
    for (int i = 0; i < n; i++) {
        p[4 * i] = i;
        p[4 * i + 1] = i >> 8;
        p[4 * i + 3] = 1;
    }
    unsigned sum = 0;
    for (int i = 0; i < 4 * n; i++)
        sum += p[i];
    free(p);
    return sum & 1;
}
