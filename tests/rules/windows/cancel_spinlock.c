/* windows/cancel_spinlock: the cancel spin lock. */
typedef unsigned char KIRQL;
void IoAcquireCancelSpinLock(KIRQL *irql);
void IoReleaseCancelSpinLock(KIRQL irql);
int cancelled(void);

struct request { KIRQL irql; int done; } r;

static void acquire(struct request *p) { IoAcquireCancelSpinLock(&p->irql); }

int keeps_level_in_a_structure(void) {
    struct request *p = &r;
    acquire(p);
    IoReleaseCancelSpinLock(r.irql);
    return 0;
}

int breaks_nested(void) {
    struct request s, *p = &s;
    acquire(&r);
    acquire(p);
    IoReleaseCancelSpinLock(s.irql);
    IoReleaseCancelSpinLock(r.irql);
    return 0;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        acquire(&r);
        if (cancelled())
            r.done = 1;
        IoReleaseCancelSpinLock(r.irql);
    }
    return 0;
}

int breaks_loop(void) {
    int n;
    acquire(&r);
    for (n = 0; n < 2; n++)
        if (!cancelled())
            IoReleaseCancelSpinLock(r.irql);
    return 0;
}

int keeps_error_path(void) {
    KIRQL old;
    IoAcquireCancelSpinLock(&old);
    if (cancelled()) {
        IoReleaseCancelSpinLock(old);
        return 1;
    }
    r.done = 1;
    IoReleaseCancelSpinLock(old);
    return 0;
}

int breaks_error_path(void) {
    KIRQL old;
    IoAcquireCancelSpinLock(&old);
    if (cancelled())
        return 1;
    IoReleaseCancelSpinLock(old);
    return 0;
}
