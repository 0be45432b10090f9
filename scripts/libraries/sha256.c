#include "sha256.h"

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    BYTE in[80], hash[SHA256_BLOCK_SIZE];
    SHA256_CTX context;
    for (int i = 0; i < 80; i++)
        in[i] = __VERIFIER_nondet_uchar();
    sha256_init(&context);
    sha256_update(&context, in, 80);
    sha256_final(&context, hash);
    return hash[0] & 1;
}
