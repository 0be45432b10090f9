//@ verdict: SAFE
// Assumptions about inputs: executions that break them do not count.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
extern void reach_error(void);

static int middle(int a, int b, int c) {
    if (a > b) {
        int t = a;
        a = b;
        b = t;
    }
    if (c < a)
        return a;
    return c > b ? b : c;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    int m;
    __VERIFIER_assume(a < b && b < c);
    m = middle(c, a, b);
    if (m != b)
        reach_error();
    return 0;
}
