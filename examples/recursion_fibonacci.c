//@ verdict: SAFE
// Two calls in one procedure: Fibonacci numbers are at least their index less one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int fibonacci(int n) {
    int a, b;
    if (n < 1)
        return 0;
    if (n == 1)
        return 1;
    a = fibonacci(n - 1);
    b = fibonacci(n - 2);
    return a + b;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int r;
    if (n > 40)
        return 0;
    r = fibonacci(n);
    if (r < n - 1)
        reach_error();
    return 0;
}
