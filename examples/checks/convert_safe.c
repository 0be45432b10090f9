//@ verdict: SAFE --check convert
// A share in percent, which is a number of a char: what is no number is left out too.
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double share = __VERIFIER_nondet_double();
    if (!(share >= 0 && share <= 1))
        return 1;
    signed char percent = share * 100;
    return percent < 0;
}
