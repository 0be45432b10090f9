//@ verdict: SAFE
// Jumps into the middle of a loop, out of two loops at once, and backwards.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int held = 0;
    int tries = __VERIFIER_nondet_int();

    if (tries < 0)
        goto inside;
again:
    while (__VERIFIER_nondet_int()) {
        if (held)
            reach_error();
        held = 1;
    inside:
        while (__VERIFIER_nondet_int()) {
            if (__VERIFIER_nondet_int())
                goto out;
        }
        held = 0;
    }
    if (__VERIFIER_nondet_int())
        goto again;
    if (held)
        reach_error();
    return 0;

out:
    if (held) {
        held = 0;
        goto again;
    }
    if (held != 0)
        reach_error();
    return 1;
}
