#include "aes.h"

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    struct AES_ctx context;
    uint8_t key[16], block[16];
    for (int i = 0; i < 16; i++) {
        key[i] = __VERIFIER_nondet_uchar();
        block[i] = __VERIFIER_nondet_uchar();
    }
    AES_init_ctx(&context, key);
    AES_ECB_encrypt(&context, block);
    return block[0] & 1;
}
