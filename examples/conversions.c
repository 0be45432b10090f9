//@ verdict: SAFE
// Conversions between integer types: a narrow variable keeps the low bits, a comparison happens in the promoted type.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int condition);

int main(void) {
    int wide = __VERIFIER_nondet_int();
    unsigned char low;
    signed char small;
    if (wide < 256 || wide > 300)
        return 0;
    low = (unsigned char)wide;
    __VERIFIER_assert(low == wide - 256);
    small = (signed char)low;
    __VERIFIER_assert(small >= 0);
    __VERIFIER_assert((unsigned int)-1 > 0u);
    return 0;
}
