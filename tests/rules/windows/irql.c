/* windows/irql: interrupt request levels. */
/* options: --extern pure */
typedef unsigned char KIRQL;
typedef unsigned long KSPIN_LOCK;
void KeRaiseIrql(KIRQL level, KIRQL *old);
void KeLowerIrql(KIRQL level);
void KeAcquireSpinLock(KSPIN_LOCK *lock, KIRQL *old);
void KeReleaseSpinLock(KSPIN_LOCK *lock, KIRQL level);
long ZwClose(void *handle);
int failed(void);
extern void *handle;

struct device { KSPIN_LOCK lock; KIRQL old; } d;

int keeps_old_level_in_a_structure(void) {
    struct device *p = &d;
    KeRaiseIrql(2, &p->old);
    KeLowerIrql(d.old);
    ZwClose(handle);
    return 0;
}

int breaks_old_level_is_overwritten(void) {
    KIRQL old, *p = &old;
    KeRaiseIrql(1, &old);
    KeRaiseIrql(2, p);
    KeLowerIrql(old);
    KeLowerIrql(old);
    return 0;
}

int keeps_nested(void) {
    KIRQL first, second;
    KeRaiseIrql(1, &first);
    KeAcquireSpinLock(&d.lock, &second);
    KeReleaseSpinLock(&d.lock, second);
    KeLowerIrql(first);
    ZwClose(handle);
    return 0;
}

int breaks_loop(void) {
    KIRQL old[2];
    int n;
    for (n = 0; n < 2; n++)
        KeRaiseIrql((KIRQL)(n + 1), &old[n]);
    KeLowerIrql(old[1]);
    ZwClose(handle);
    KeLowerIrql(old[0]);
    return 0;
}

int keeps_error_path(void) {
    KIRQL old;
    int n;
    for (n = 0; n < 3; n++) {
        KeAcquireSpinLock(&d.lock, &old);
        if (failed()) {
            KeReleaseSpinLock(&d.lock, old);
            return 1;
        }
        KeReleaseSpinLock(&d.lock, old);
    }
    return 0;
}

int breaks_error_path(void) {
    KIRQL old;
    KeAcquireSpinLock(&d.lock, &old);
    if (failed())
        return 1;
    KeReleaseSpinLock(&d.lock, old);
    return 0;
}
