//@ verdict: UNSAFE
// The twin of recursion_fibonacci.c that asks for one more: the second Fibonacci number is 1.
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
    if (r < n)
        reach_error();
    return 0;
}
