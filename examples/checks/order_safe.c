//@ verdict: SAFE --check order
// A position is looked for in the buffer that it belongs to.
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char *buffer = malloc(64);
    if (!buffer)
        return 1;
    unsigned char *end = buffer + 64, *at = buffer;
    while (at < end) {
        *at = __VERIFIER_nondet_uchar();
        at++;
    }
    long length = at - buffer;
    free(buffer);
    return length != 64;
}
