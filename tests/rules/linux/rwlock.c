/* linux/rwlock: readers and writers. */
typedef struct { int word; } rwlock_t;
void read_lock(rwlock_t *lock);
void read_unlock(rwlock_t *lock);
void write_lock(rwlock_t *lock);
void write_unlock(rwlock_t *lock);
int read_trylock(rwlock_t *lock);
int write_trylock(rwlock_t *lock);
int work(void);

struct table { rwlock_t lock; int size; } t;

int keeps_lock_by_pointer(void) {
    struct table *p = &t;
    read_lock(&p->lock);
    read_unlock(&t.lock);
    write_lock(&t.lock);
    write_unlock(&p->lock);
    return 0;
}

int breaks_lock_by_pointer(void) {
    struct table *p = &t;
    write_lock(&p->lock);
    read_lock(&t.lock);
    read_unlock(&t.lock);
    write_unlock(&p->lock);
    return 0;
}

int keeps_readers_in_a_loop(void) {
    int n;
    for (n = 0; n < 3; n++)
        read_lock(&t.lock);
    while (n-- > 0)
        read_unlock(&t.lock);
    return 0;
}

int breaks_readers_in_a_loop(void) {
    int n;
    for (n = 0; n < 3; n++)
        read_lock(&t.lock);
    while (--n > 0)
        read_unlock(&t.lock);
    return 0;
}

int keeps_failed_attempts(void) {
    rwlock_t *l = &t.lock;
    if (!write_trylock(l))
        return 1;
    if (work() < 0) {
        write_unlock(l);
        return 2;
    }
    write_unlock(&t.lock);
    return 0;
}

int breaks_failed_attempts(void) {
    rwlock_t *l = &t.lock;
    if (read_trylock(l) || work())
        read_unlock(l);
    return 0;
}
