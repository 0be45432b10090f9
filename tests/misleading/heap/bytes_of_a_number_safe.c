/* A number is written byte by byte, copied with its bytes, and read. */
#include <string.h>
unsigned char __VERIFIER_nondet_uchar(void);
static void fill(unsigned char *to, int n) {
    for (int i = 0; i < n; i++)
        to[i] = __VERIFIER_nondet_uchar();
}
int main(void) {
    unsigned from, to[2];
    fill((unsigned char *)&from, 4);
    to[0] = 1;
    memcpy(&to[1], &from, sizeof from);
    unsigned *p = to;
    return (p[0] + p[1]) & 1;
}
