//@ verdict: UNSAFE
// The twin of recursion_ackermann.c that asks for one more: at m == 0 the result is n + 1.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int ackermann(int m, int n) {
    int inner;
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    inner = ackermann(m, n - 1);
    return ackermann(m - 1, inner);
}

int main(void) {
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    int r;
    if (m < 0 || m > 3 || n < 0 || n > 20)
        return 0;
    r = ackermann(m, n);
    if (r <= n + 1)
        reach_error();
    if (m >= 2 && r < 3)
        reach_error();
    return 0;
}
