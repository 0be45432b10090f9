//@ verdict: SAFE
// Flags kept in the bits of one word: setting and clearing one leaves the others alone.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

#define BUSY 1u
#define DIRTY 2u
#define LOCKED 4u

int main(void) {
    unsigned int flags = __VERIFIER_nondet_uint();
    flags |= BUSY;
    flags &= ~DIRTY;
    if (flags & LOCKED)
        flags ^= LOCKED;
    if (!(flags & BUSY))
        reach_error();
    if (flags & (DIRTY | LOCKED))
        reach_error();
    return 0;
}
