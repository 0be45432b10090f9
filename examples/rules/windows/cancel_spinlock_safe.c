/* Keeps the rule windows/cancel_spinlock. */
typedef unsigned char KIRQL;
void IoAcquireCancelSpinLock(KIRQL *old);
void IoReleaseCancelSpinLock(KIRQL level);
int is_cancelled(void);

int main(void) {
    KIRQL old;
    IoAcquireCancelSpinLock(&old);
    int cancelled = is_cancelled();
    IoReleaseCancelSpinLock(old);
    return cancelled;
}
