/* Keeps the rule windows/spinlock. */
typedef unsigned char KIRQL;
typedef struct { long word; } KSPIN_LOCK;
void KeAcquireSpinLock(KSPIN_LOCK *lock, KIRQL *old);
void KeReleaseSpinLock(KSPIN_LOCK *lock, KIRQL level);

KSPIN_LOCK queue_lock;
int queued;

int DispatchRead(int more) {
    KIRQL old;
    KeAcquireSpinLock(&queue_lock, &old);
    if (queued > 7) {
        KeReleaseSpinLock(&queue_lock, old);
        return -1;
    }
    queued += more;
    KeReleaseSpinLock(&queue_lock, old);
    return 0;
}

int main(void) {
    return DispatchRead(1);
}
