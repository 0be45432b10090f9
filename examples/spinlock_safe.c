//@ verdict: SAFE
// The lock loop of the SLAM papers: the lock is held at the end of the loop's body exactly when no packet was sent.
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
        if (__VERIFIER_nondet_int()) {
            unlock();
            packets = packets + 1;
        }
    } while (packets != old);
    unlock();
    return 0;
}
