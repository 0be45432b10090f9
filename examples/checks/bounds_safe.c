//@ verdict: SAFE --check bounds
// A table inside of a struct, filled by a loop and read behind a test; a pointer to one of its members.
extern int __VERIFIER_nondet_int(void);

struct table {
    int used;
    int slot[8][2];
};

static void note(int *p) {
    *p = 1;
}

int main(void) {
    struct table t;
    int i = __VERIFIER_nondet_int();
    for (t.used = 0; t.used < 8; t.used++)
        t.slot[t.used][1] = t.used;
    note(&t.used);
    if (i >= 0 && i < 8)
        return t.slot[i][0];
    return 0;
}
