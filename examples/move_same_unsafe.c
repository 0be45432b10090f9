//@ verdict: UNSAFE
// Moving a value out of one variable into another loses it when both pointers are the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void move(int *from, int *to) {
    *to = *from;
    *from = 0;
}

int main(void) {
    int x = 3;
    int y = 4;
    int *p = &x;
    int *q = &y;
    if (__VERIFIER_nondet_int())
        q = p;
    move(p, q);
    if (*q != 3)
        reach_error();
    return 0;
}
