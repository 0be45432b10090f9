//@ verdict: UNSAFE
// The error as a label: two counters that should stay equal, until one round forgets one of them.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sent = 0;
    int acknowledged = 0;
    while (__VERIFIER_nondet_int()) {
        sent++;
        if (__VERIFIER_nondet_int())
            acknowledged++;
        if (sent > acknowledged + 1)
            goto ERROR;
    }
    return 0;
ERROR:
    return 1;
}
