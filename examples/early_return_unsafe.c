//@ verdict: UNSAFE
// One of the early returns keeps what it holds: the next call finds it taken.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int held = 0;

static void acquire(void) {
    if (held)
        reach_error();
    held = 1;
}

static void release(void) {
    if (!held)
        reach_error();
    held = 0;
}

static int transfer(int amount, int balance) {
    acquire();
    if (amount < 0) {
        release();
        return -1;
    }
    if (amount > balance)
        return -2;
    release();
    return amount;
}

int main(void) {
    int balance = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int())
        transfer(__VERIFIER_nondet_int(), balance);
    return 0;
}
