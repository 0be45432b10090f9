//@ verdict: UNSAFE --check convert
// A share in percent, without an upper limit. The comparison lets pass what is no number.
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double share = __VERIFIER_nondet_double();
    if (share < 0)
        return 1;
    signed char percent = share * 100;
    return percent < 0;
}
