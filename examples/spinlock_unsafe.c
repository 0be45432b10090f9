//@ verdict: UNSAFE
// The lock loop with the packet counter forgotten: the loop ends with the lock released, which is then released again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int locked;

void lock(void) {
    if (locked != 0)
        reach_error();
    locked = 1;
}

void unlock(void) {
    if (locked != 1)
        reach_error();
    locked = 0;
}

int main(void) {
    int packets = __VERIFIER_nondet_int();
    int old;
    do {
        lock();
        old = packets;
        if (__VERIFIER_nondet_int())
            unlock();
    } while (packets != old);
    unlock();
    return 0;
}
