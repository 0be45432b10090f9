//@ verdict: UNSAFE
// The failing check stands two calls below main, and needs one particular pair of arguments.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int limit = 8;

void store(int slot, int checked) {
    if (!checked && slot > limit)
        reach_error();
}

void put(int slot) {
    int checked = 0;
    if (slot < 100)
        checked = 1;
    store(slot, checked);
}

int main(void) {
    int slot = __VERIFIER_nondet_int();
    if (slot >= 0)
        put(slot);
    return 0;
}
