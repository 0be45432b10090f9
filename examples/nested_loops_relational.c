//@ verdict: SAFE
// Nested loops with a relational invariant: the counters move together, whatever the numbers of rounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int x = 0;
    int y = 0;
    while (__VERIFIER_nondet_int()) {
        x++;
        while (__VERIFIER_nondet_int()) {
            x++;
            y++;
        }
        y++;
    }
    if (x != y)
        reach_error();
    return 0;
}
