//@ verdict: SAFE
// Structures as arguments and results of calls, by value.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct range {
    int low;
    int high;
};

static struct range sorted(struct range r) {
    if (r.low > r.high) {
        int t = r.low;
        r.low = r.high;
        r.high = t;
    }
    return r;
}

int main(void) {
    struct range r;
    struct range s;
    r.low = __VERIFIER_nondet_int();
    r.high = __VERIFIER_nondet_int();
    s = sorted(r);
    if (s.low > s.high)
        reach_error();
    if (r.low <= r.high && s.low != r.low)
        reach_error();
    return 0;
}
