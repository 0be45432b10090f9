//@ verdict: SAFE
// A procedure with several early returns that releases what it holds on each of them.
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
    if (amount > balance) {
        if (__VERIFIER_nondet_int()) {
            release();
            return -2;
        }
        amount = balance;
    }
    release();
    return amount;
}

int main(void) {
    int balance = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        int moved = transfer(__VERIFIER_nondet_int(), balance);
        if (held)
            reach_error();
        if (moved > balance && moved > 0)
            reach_error();
    }
    return 0;
}
