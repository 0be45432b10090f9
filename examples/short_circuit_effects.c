//@ verdict: SAFE
// Calls on the right of && and || happen only when the left side leaves the answer open.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int opened = 0;
int refused = 0;

static int try_open(void) {
    if (__VERIFIER_nondet_int()) {
        opened = 1;
        return 1;
    }
    return 0;
}

static int refuse(void) {
    refused = 1;
    return 0;
}

int main(void) {
    int wanted = __VERIFIER_nondet_int();
    int ok = (wanted && try_open()) || refuse();
    if (ok && !opened)
        reach_error();
    if (opened && !wanted)
        reach_error();
    if (opened && refused)
        reach_error();
    if (!ok && !refused)
        reach_error();
    return 0;
}
