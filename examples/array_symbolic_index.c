//@ verdict: SAFE
// Two writes at unknown indices: the first survives exactly when the indices differ.
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
    if (i != j && cell[i] != 1)
        reach_error();
    if (i == j && cell[i] != 2)
        reach_error();
    return 0;
}
