//@ verdict: UNSAFE --check all
// Checks of several kinds, some of them on one line; two fail, one only after the other has held.
extern int __VERIFIER_nondet_int(void);

int table[4];

static int entry(int i) {
    return table[i];          //@ UNSAFE
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int debug = 0;
    if (debug)
        table[7] = 100 / debug;   //@ UNREACHABLE UNREACHABLE
    if (n < 0 || n > 5)
        return 0;
    table[2] = 100 / (n - 2);     //@ UNSAFE SAFE
    return entry(n - 1);          //@ SAFE
}
