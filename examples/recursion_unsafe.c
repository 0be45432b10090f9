//@ verdict: UNSAFE
// Recursion that goes wrong in its third activation only.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth = 0;

void descend(int n) {
    depth = depth + 1;
    if (depth > 2)
        reach_error();
    if (n > 0)
        descend(n - 1);
    depth = depth - 1;
}

int main(void) {
    descend(__VERIFIER_nondet_int());
    return 0;
}
