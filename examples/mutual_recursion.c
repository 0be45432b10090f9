//@ verdict: SAFE
// Two procedures that call each other and take turns: each relies on the flag as the other leaves it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int turn = 0;

void pong(int n);

void ping(int n) {
    if (turn != 0)
        reach_error();
    turn = 1;
    if (n > 0)
        pong(n - 1);
    turn = 0;
}

void pong(int n) {
    if (turn != 1)
        reach_error();
    turn = 0;
    if (n > 0)
        ping(n - 1);
    turn = 1;
}

int main(void) {
    ping(__VERIFIER_nondet_int());
    if (turn != 0)
        reach_error();
    return 0;
}
