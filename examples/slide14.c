//@ verdict: SAFE
// Slide 14: a comparison made in another procedure, whose answer comes back in a global variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g;

void cmp(int a, int b) {
    if (a == b)
        g = 0;
    else
        g = 1;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    cmp(x, y);
    if (!g)
        if (x != y)
            reach_error();
    return 0;
}
