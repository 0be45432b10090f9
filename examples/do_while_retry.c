//@ verdict: SAFE
// A do-while loop with continue and break: it ends with success or with the retries used up, never with both.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int done = 0;
    int gave_up = 0;
    int retries = __VERIFIER_nondet_int();
    do {
        if (retries <= 0) {
            gave_up = 1;
            break;
        }
        retries--;
        if (__VERIFIER_nondet_int())
            continue;
        done = 1;
    } while (!done);
    if (done && gave_up)
        reach_error();
    if (!done && retries > 0)
        reach_error();
    return 0;
}
