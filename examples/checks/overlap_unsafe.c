//@ verdict: UNSAFE --check overlap
// The first bytes of a queue are dropped by memcpy, which does not allow what is left to overlap with where it goes.
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    char queue[16] = {0};
    unsigned drop = __VERIFIER_nondet_uint();
    if (drop > sizeof queue)
        return 1;
    memcpy(queue, queue + drop, sizeof queue - drop);
    return 0;
}
