//@ verdict: SAFE
// A static local keeps its value between calls: the hardware is set up once.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int set_up = 0;

static void use(void) {
    static int first = 1;
    if (first) {
        if (set_up)
            reach_error();
        set_up = 1;
        first = 0;
    }
    if (!set_up)
        reach_error();
}

int main(void) {
    while (__VERIFIER_nondet_int())
        use();
    return 0;
}
