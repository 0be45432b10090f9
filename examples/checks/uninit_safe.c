//@ verdict: SAFE --check uninit
// The variable is read only where the flag says that it was written.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int value;
    int known = 0;
    int pair[2] = {1, 2};
    if (__VERIFIER_nondet_int()) {
        value = 3;
        known = 1;
    }
    if (known)
        return value;
    return pair[1];
}
