//@ verdict: UNSAFE --check overflow
// The classic mean of two numbers: the sum does not fit when both are large.
extern int __VERIFIER_nondet_int(void);

int mean(int a, int b) {
    return (a + b) / 2;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a < 0 || b < a)
        return 0;
    return mean(a, b);
}
