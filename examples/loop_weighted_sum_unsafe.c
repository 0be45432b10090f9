//@ verdict: UNSAFE
// As loop_weighted_sum_safe.c, but one box takes four coins when it is empty.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int rounds = __VERIFIER_nondet_int();
    int left = 0;
    int right = 0;
    int i = 0;
    if (rounds < 0 || rounds > 100000) {
        return 0;
    }
    while (i < rounds) {
        if (__VERIFIER_nondet_int()) {
            left += 3;
        } else {
            right += right == 0 ? 4 : 3;
        }
        i++;
    }
    if (left + right != 3 * rounds) {
        reach_error();
    }
    return 0;
}
