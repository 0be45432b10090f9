#include "base64.h"

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    BYTE in[16], out[32];
    for (int i = 0; i < 16; i++)
        in[i] = __VERIFIER_nondet_uchar();
    size_t length = base64_encode(in, out, 16, 1);
    return length > sizeof out;
}
