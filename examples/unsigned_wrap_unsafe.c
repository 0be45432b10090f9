//@ verdict: UNSAFE
// A buffer's free space, computed in unsigned arithmetic: the test against zero does not see a negative difference.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned int size = 64u;
    unsigned int used = __VERIFIER_nondet_uint();
    if (size - used > 0u) {
        if (used > size)
            reach_error();
    }
    return 0;
}
