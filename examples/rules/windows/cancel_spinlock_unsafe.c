/* Breaks the rule windows/cancel_spinlock. */
typedef unsigned char KIRQL;
void IoAcquireCancelSpinLock(KIRQL *old);
void IoReleaseCancelSpinLock(KIRQL level);
int is_cancelled(void);

int main(void) {
    KIRQL old;
    IoAcquireCancelSpinLock(&old);
    if (is_cancelled())
        IoReleaseCancelSpinLock(old);
    IoReleaseCancelSpinLock(old);
    return 0;
}
