//@ verdict: SAFE
// Function pointers in a constant table: every entry keeps the device's protocol.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef void (*handler)(void);

int is_open;

static void do_open(void) {
    is_open = 1;
}

static void do_close(void) {
    is_open = 0;
}

static void do_write(void) {
    if (!is_open)
        return;
    if (is_open != 1)
        reach_error();
}

static handler const table[3] = {do_open, do_close, do_write};

int main(void) {
    is_open = 0;
    while (__VERIFIER_nondet_int()) {
        int request = __VERIFIER_nondet_int();
        if (request >= 0 && request < 3)
            table[request]();
    }
    return 0;
}
