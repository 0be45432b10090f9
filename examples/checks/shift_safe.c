//@ verdict: SAFE --check shift
// The amount is reduced to the width before the shift.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned bits = 1u << (n % 32);
    return bits != 0;
}
