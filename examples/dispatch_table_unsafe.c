//@ verdict: UNSAFE
// Function pointers in a structure: one operation relies on another that nobody is obliged to call first.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct operations {
    void (*open)(void);
    void (*write)(void);
};

int is_open = 0;

static void plain_open(void) {
    is_open = 1;
}

static void plain_write(void) {
    if (!is_open)
        reach_error();
}

int main(void) {
    struct operations ops;
    ops.open = plain_open;
    ops.write = plain_write;
    if (__VERIFIER_nondet_int())
        ops.open();
    ops.write();
    return 0;
}
