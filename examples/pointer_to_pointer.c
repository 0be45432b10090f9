//@ verdict: SAFE
// Two levels of pointers: the callee redirects its caller's pointer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int spare = 7;

static void redirect(int **where) {
    if (**where != 7)
        *where = &spare;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int *p = &x;
    redirect(&p);
    if (*p != 7)
        reach_error();
    *p = 8;
    if (p == &x && x != 8)
        reach_error();
    return 0;
}
