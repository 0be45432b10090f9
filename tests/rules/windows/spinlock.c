/* windows/spinlock: spin locks. */
typedef unsigned char KIRQL;
typedef unsigned long KSPIN_LOCK;
void KeAcquireSpinLock(KSPIN_LOCK *lock, KIRQL *old);
void KeReleaseSpinLock(KSPIN_LOCK *lock, KIRQL level);
void KeAcquireSpinLockAtDpcLevel(KSPIN_LOCK *lock);
void KeReleaseSpinLockFromDpcLevel(KSPIN_LOCK *lock);
int failed(void);

struct queue { KSPIN_LOCK lock; KIRQL old; struct queue *next; } a, b = {0, 0, &a};

int keeps_walk(void) {
    struct queue *q;
    for (q = &b; q; q = q->next) {
        KeAcquireSpinLock(&q->lock, &q->old);
        KeReleaseSpinLock(&q->lock, q->old);
    }
    return 0;
}

int breaks_walk(void) {
    struct queue *q;
    for (q = &b; q; q = q->next)
        KeAcquireSpinLock(&q->lock, &q->old);
    KeReleaseSpinLock(&a.lock, a.old);
    return 0;
}

int keeps_two_locks(void) {
    struct queue *q = b.next;
    KeAcquireSpinLock(&b.lock, &b.old);
    KeAcquireSpinLockAtDpcLevel(&q->lock);
    KeReleaseSpinLockFromDpcLevel(&a.lock);
    KeReleaseSpinLock(&b.lock, b.old);
    return 0;
}

int breaks_alias(void) {
    struct queue *q = b.next;
    KeAcquireSpinLock(&a.lock, &a.old);
    KeAcquireSpinLockAtDpcLevel(&q->lock);
    KeReleaseSpinLockFromDpcLevel(&q->lock);
    KeReleaseSpinLock(&a.lock, a.old);
    return 0;
}

int keeps_error_path(void) {
    KIRQL old;
    KeAcquireSpinLock(&a.lock, &old);
    if (failed()) {
        KeReleaseSpinLock(&a.lock, old);
        return 1;
    }
    KeReleaseSpinLock(&a.lock, old);
    return 0;
}

int breaks_error_path(void) {
    KIRQL old;
    int result = 0;
    KeAcquireSpinLock(&a.lock, &old);
    if (failed()) {
        KeReleaseSpinLock(&a.lock, old);
        result = 1;
    }
    KeReleaseSpinLock(&a.lock, old);
    return result;
}
