/* A number is written byte by byte and copied to a global. Another object is read beside it. */
#include <string.h>
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
unsigned global[2];
static void fill(unsigned char *to, int n) {
    for (int i = 0; i < n; i++)
        to[i] = __VERIFIER_nondet_uchar();
}
static unsigned second(unsigned *p) { return p[1]; }
static unsigned other_second(unsigned *p) { return p[1]; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned from, other[2];
    other[0] = 1;
    other[1] = 2;
    fill((unsigned char *)&from, 4);
    memcpy(&global[1], &from, sizeof from);
    memcpy(&other[1], &from, sizeof from);
    return (n & 1 ? second(global) : other_second(other)) & 1;
}
