//@ verdict: UNSAFE
// The same two pointers, with an assertion that forgets that they may be the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct pair {
    int first;
    int second;
};

int main(void) {
    struct pair s;
    struct pair t;
    struct pair *p = &s;
    struct pair *q = &t;
    if (__VERIFIER_nondet_int())
        q = p;
    p->first = 1;
    q->first = 3;
    if (p->first != 1)
        reach_error();
    return 0;
}
