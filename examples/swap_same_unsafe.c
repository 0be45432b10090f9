//@ verdict: UNSAFE
// Swapping without a temporary destroys the value when both pointers are the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void swap(int *a, int *b) {
    *a = *a + *b;
    *b = *a - *b;
    *a = *a - *b;
}

int main(void) {
    int x = 3;
    int y = 4;
    int *p = &x;
    int *q = &y;
    if (__VERIFIER_nondet_int())
        q = p;
    swap(p, q);
    if (x == 0)
        reach_error();
    return 0;
}
