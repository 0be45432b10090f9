/* An element at its distance; the index may be negative, as the pointer is not at the start. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[4] = {0, 0, 0, 0}, i = __VERIFIER_nondet_int();
    int *p = a + 2, *q;
    if (i < -2 || i > 1)
        return 0;
    q = (int *)((unsigned long)p + (unsigned long)i * 4UL);
    *q = 5;
    if (a[0] == 5)
        reach_error();
    return 0;
}
