//@ verdict: UNSAFE
// The twin of recursion_even_odd.c with the answer the wrong way round.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int is_odd(int n);

int is_even(int n) {
    if (n == 0)
        return 1;
    return is_odd(n - 1);
}

int is_odd(int n) {
    if (n == 0)
        return 0;
    return is_even(n - 1);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int even;
    if (n < 0)
        return 0;
    even = is_even(n);
    if (even != 0 && even != 1)
        reach_error();
    if (even == (n % 2 == 0))
        reach_error();
    return 0;
}
