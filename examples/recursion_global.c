//@ verdict: SAFE
// Each activation leaves the nesting depth as it found it: a relation between a global's values before and after.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int depth;

void visit(void) {
    depth = depth + 1;
    while (__VERIFIER_nondet_int())
        visit();
    depth = depth - 1;
}

int main(void) {
    depth = 0;
    visit();
    if (depth != 0)
        reach_error();
    return 0;
}
