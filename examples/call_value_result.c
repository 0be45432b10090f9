//@ verdict: SAFE
// Slides 41 and 42: the result of a call in terms of the argument's value before it, although the formal is overwritten.
extern void reach_error(void);

int next(int f) {
    int r = f + 1;
    f = 0;
    return r;
}

int main(void) {
    int x = 1;
    x = next(x);
    if (x != 2)
        reach_error();
    return 0;
}
