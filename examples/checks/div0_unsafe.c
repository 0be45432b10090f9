//@ verdict: UNSAFE --check div0
// The divisor is the number of values read, which may be none.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int count = 0;
    int total = 0;
    while (__VERIFIER_nondet_int() && count < 100) {
        total = total + 1;
        count++;
    }
    return total % count;
}
