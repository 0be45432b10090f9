//@ verdict: SAFE
// Unsigned arithmetic wraps: the successor is smaller only at the largest value, and then it is zero.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned int x = __VERIFIER_nondet_uint();
    unsigned int y = x + 1u;
    unsigned char low = (unsigned char)255;
    if (y < x && y != 0u)
        reach_error();
    low++;
    if (low != 0)
        reach_error();
    return 0;
}
