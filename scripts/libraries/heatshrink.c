#include "heatshrink_encoder.h"

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    uint8_t in[16], out[32];
    size_t taken, given;
    for (int i = 0; i < 16; i++)
        in[i] = __VERIFIER_nondet_uchar();
    heatshrink_encoder *encoder = heatshrink_encoder_alloc(8, 4);
    if (!encoder)
        return 1;
    heatshrink_encoder_sink(encoder, in, sizeof in, &taken);
    heatshrink_encoder_finish(encoder);
    heatshrink_encoder_poll(encoder, out, sizeof out, &given);
    heatshrink_encoder_free(encoder);
    return 0;
}
