//@ verdict: SAFE --check div0
// The divisor is the number of values read, and the division happens only when there is one.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int count = 0;
    int total = 0;
    while (__VERIFIER_nondet_int() && count < 100) {
        total = total + 1;
        count++;
    }
    return count > 0 ? total / count : 0;
}
