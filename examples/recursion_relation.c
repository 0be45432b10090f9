//@ verdict: SAFE
// Recursion with a relation between the argument and the result: copy(n) == n, whatever the depth.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int copy(int n) {
    int rest;
    if (n == 0)
        return 0;
    rest = copy(n - 1);
    return rest + 1;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int m;
    if (n < 0)
        return 0;
    m = copy(n);
    if (m != n)
        reach_error();
    return 0;
}
