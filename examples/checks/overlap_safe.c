//@ verdict: SAFE --check overlap
// The first bytes of a queue are dropped; what is left may overlap with where it goes, so that memmove has to do it.
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    char queue[16] = {0}, copy[16];
    unsigned drop = __VERIFIER_nondet_uint();
    if (drop > sizeof queue)
        return 1;
    memcpy(copy, queue + drop, sizeof queue - drop);
    memmove(queue, queue + drop, sizeof queue - drop);
    if (drop >= sizeof queue / 2)
        memcpy(queue, queue + drop, sizeof queue - drop);
    return 0;
}
