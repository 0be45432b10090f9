#include "ringbuffer.h"

char __VERIFIER_nondet_char(void);
int __VERIFIER_nondet_int(void);

int main(void) {
    char memory[8], out;
    ring_buffer_t ring;
    ring_buffer_init(&ring, memory, sizeof memory);
    while (__VERIFIER_nondet_int())
        if (__VERIFIER_nondet_int())
            ring_buffer_queue(&ring, __VERIFIER_nondet_char());
        else
            ring_buffer_dequeue(&ring, &out);
    return 0;
}
