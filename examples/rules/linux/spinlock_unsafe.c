/* Breaks the rule linux/spinlock. */
typedef struct { int word; } spinlock_t;
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
int spin_trylock(spinlock_t *lock);

struct device {
    spinlock_t lock;
    int users;
} first, second;

void open(struct device *d) {
    spin_lock(&d->lock);
    d->users++;
    spin_unlock(&d->lock);
}

int main(void) {
    open(&first);
    if (spin_trylock(&first.lock)) {
        open(&first);
        spin_unlock(&first.lock);
    }
    return 0;
}
