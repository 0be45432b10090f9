//@ verdict: UNSAFE
// The twin of recursion_mccarthy.c with a bound that is one too high: at 102 the result is 92.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int f91(int x) {
    int inner;
    if (x > 100)
        return x - 10;
    inner = f91(x + 11);
    return f91(inner);
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = f91(x);
    if (x <= 102 && y != 91)
        reach_error();
    if (x > 102 && y != x - 10)
        reach_error();
    return 0;
}
