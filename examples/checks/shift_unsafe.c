//@ verdict: UNSAFE --check shift
// A shift by the width of the type.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 32)
        return 0;
    return (1u << n) != 0;
}
