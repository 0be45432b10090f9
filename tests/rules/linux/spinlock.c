/* linux/spinlock: spin locks. */
typedef struct { int word; } spinlock_t;
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
int spin_trylock(spinlock_t *lock);
void spin_lock_irqsave(spinlock_t *lock, unsigned long flags);
void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags);
int work(void);

struct queue { spinlock_t lock; struct queue *next; } a, b = {{0}, &a};

static spinlock_t *lock_of(struct queue *q) { return &q->lock; }

int keeps_walk_of_a_list(void) {
    struct queue *q;
    for (q = &b; q; q = q->next) {
        spin_lock(lock_of(q));
        spin_unlock(&q->lock);
    }
    return 0;
}

int breaks_ring(void) {
    struct queue *q = &b;
    int n;
    a.next = &b;
    for (n = 0; n < 3; n++, q = q->next)
        spin_lock(&q->lock);
    return 0;
}

int keeps_flags(void) {
    struct queue *q = &a;
    unsigned long flags = 0;
    spin_lock_irqsave(&q->lock, flags);
    work();
    spin_unlock_irqrestore(lock_of(q), flags);
    return 0;
}

int breaks_unlocked_by_another_name(void) {
    spinlock_t *one = &a.lock, *two = lock_of(b.next);
    spin_lock(one);
    spin_unlock(two);
    spin_unlock(one);
    return 0;
}

int keeps_error_path(void) {
    if (!spin_trylock(&a.lock))
        return 1;
    if (work()) {
        spin_unlock(&a.lock);
        return 2;
    }
    spin_unlock(&a.lock);
    return 0;
}

int breaks_error_path(void) {
    int failed;
    spin_lock(&a.lock);
    failed = work();
    if (failed)
        goto out;
    spin_unlock(&a.lock);
out:
    return failed;
}
