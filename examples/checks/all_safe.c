//@ verdict: SAFE --check all
// Every kind at once: a small queue of fixed size.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int queue[4];
int used = 0;

static int put(int x) {
    if (used == 4)
        return 0;
    queue[used] = x;
    used = used + 1;
    return 1;
}

int main(void) {
    int n = 0;
    while (n < 10) {
        put(n);
        n++;
    }
    if (used > 4)
        reach_error();
    return 0;
}
