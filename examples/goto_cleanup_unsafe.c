//@ verdict: UNSAFE
// Clean-up labels in the manner of kernel code, of which one is jumped to too early: the buffer was never taken.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int locks = 0;
int buffers = 0;

static int start(void) {
    int error = -1;
    locks++;
    if (__VERIFIER_nondet_int())
        goto free_buffer;
    buffers++;
    if (__VERIFIER_nondet_int())
        goto free_buffer;
    error = 0;
free_buffer:
    buffers--;
    if (buffers < 0)
        reach_error();
    locks--;
    return error;
}

int main(void) {
    start();
    return 0;
}
