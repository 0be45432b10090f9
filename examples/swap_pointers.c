//@ verdict: SAFE
// Two of the caller's locals change places through pointers.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

int main(void) {
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (low > high)
        swap(&low, &high);
    if (low > high)
        reach_error();
    return 0;
}
