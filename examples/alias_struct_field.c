//@ verdict: SAFE
// A write through a pointer that may be the same as another changes one field of one structure, and no other field.
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
    p->second = 2;
    q->first = 3;
    if (p->second != 2)
        reach_error();
    if (p == q && p->first != 3)
        reach_error();
    if (p != q && p->first != 1)
        reach_error();
    return 0;
}
