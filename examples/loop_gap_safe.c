//@ verdict: SAFE
// What holds in the loop relates the gap between two counters to the gap between the values they began with.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int first = __VERIFIER_nondet_int();
    int second = __VERIFIER_nondet_int();
    if (first < 0 || second < 0) {
        return 0;
    }
    int a = first;
    int b = second;
    while (a > 0) {
        a--;
        b--;
    }
    if (first == second && b != 0) {
        reach_error();
    }
    return 0;
}
