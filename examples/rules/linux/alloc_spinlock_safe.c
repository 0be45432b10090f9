/* Keeps the rule linux/alloc_spinlock. */
typedef struct { int word; } spinlock_t;
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);

#define GFP_KERNEL 0xcc0
#define GFP_ATOMIC 32
void *kmalloc(unsigned long size, unsigned flags);
void kfree(const void *memory);

spinlock_t lock;
void *spare;

void refill(unsigned flags) {
    spare = kmalloc(64, flags);
}

int main(void) {
    refill(GFP_KERNEL);
    spin_lock(&lock);
    if (!spare)
        refill(GFP_ATOMIC);
    spin_unlock(&lock);
    kfree(spare);
    return 0;
}
