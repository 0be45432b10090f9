//@ verdict: SAFE
// Structures are copied when they are assigned: a later change of the original does not reach the copy.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct point {
    int x;
    int y;
};

struct box {
    struct point corner;
    int colour;
};

int main(void) {
    struct box a;
    struct box b;
    a.corner.x = __VERIFIER_nondet_int();
    a.corner.y = 5;
    a.colour = 1;
    b = a;
    a.corner.y = 6;
    a.colour = 2;
    if (b.corner.x != a.corner.x)
        reach_error();
    if (b.corner.y != 5 || b.colour != 1)
        reach_error();
    return 0;
}
