//@ verdict: SAFE
// McCarthy's function: 91 for every argument up to 101, whatever the depth of the two nested calls.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int f91(int x) {
    int inner;
    if (x > 100)
        return x - 10;
    inner = f91(x + 11);
    return f91(inner);
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = f91(x);
    if (x <= 101 && y != 91)
        reach_error();
    if (x > 101 && y != x - 10)
        reach_error();
    return 0;
}
