/* linux/alloc_spinlock: memory under spin locks. */
typedef struct { int word; } spinlock_t;
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
int spin_trylock(spinlock_t *lock);
void *kmalloc(unsigned long size, unsigned flags);
void *vmalloc(unsigned long size);
int more(void);

struct device { spinlock_t lock; void *memory; } one, two;

static void *get(unsigned flags) { return kmalloc(8, flags); }

int keeps_lock_by_pointer(void) {
    struct device *d = &one;
    spin_lock(&d->lock);
    one.memory = get(32);
    spin_unlock(&one.lock);
    d->memory = get(0xcc0);
    return 0;
}

int breaks_lock_by_pointer(void) {
    struct device *d = more() ? &one : &two;
    spin_lock(&d->lock);
    d->memory = get(0xcc0);
    spin_unlock(&d->lock);
    return 0;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        spin_lock(&one.lock);
        spin_unlock(&one.lock);
        one.memory = vmalloc(8);
    }
    return 0;
}

int breaks_second_turn(void) {
    int n;
    for (n = 0; n < 2; n++) {
        if (n == 1)
            one.memory = vmalloc(8);
        spin_lock(&one.lock);
        if (n == 0)
            continue; /* still locked */
        spin_unlock(&one.lock);
    }
    return 0;
}

int keeps_failed_attempt(void) {
    if (!spin_trylock(&one.lock)) {
        one.memory = get(0xcc0);
        return 1;
    }
    spin_unlock(&one.lock);
    return 0;
}

int breaks_other_lock_is_held(void) {
    spin_lock(&one.lock);
    if (spin_trylock(&two.lock))
        spin_unlock(&two.lock);
    two.memory = get(0xcc0);
    spin_unlock(&one.lock);
    return 0;
}
