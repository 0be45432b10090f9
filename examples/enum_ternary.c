//@ verdict: SAFE
// Enumerations, nested conditional expressions and the comma operator.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum light { RED = 1, AMBER, GREEN };

static enum light after(enum light now) {
    return now == RED ? GREEN : now == GREEN ? AMBER : RED;
}

int main(void) {
    int input = __VERIFIER_nondet_int();
    enum light first = input > 0 ? GREEN : input < 0 ? AMBER : RED;
    enum light second;
    int steps;
    steps = 0, second = after(first), steps++;
    if (second == first)
        reach_error();
    if (first == GREEN && second != AMBER)
        reach_error();
    if (steps != 1)
        reach_error();
    return 0;
}
