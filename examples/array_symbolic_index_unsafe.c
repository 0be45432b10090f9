//@ verdict: UNSAFE
// Two writes at unknown indices, and an assertion that forgets that the indices may be equal.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int cell[10];

int main(void) {
    int i = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    if (i < 0 || i >= 10 || j < 0 || j >= 10)
        return 0;
    cell[i] = 1;
    cell[j] = 2;
    if (cell[i] != 1)
        reach_error();
    return 0;
}
