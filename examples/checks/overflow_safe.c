//@ verdict: SAFE --check overflow
// The mean of two numbers without their sum; a counter that stops in time.
extern int __VERIFIER_nondet_int(void);

int mean(int a, int b) {
    return a + (b - a) / 2;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int n = 0;
    if (a < 0 || b < a)
        return 0;
    a = mean(a, b);
    while (n < a)
        n++;
    return n;
}
