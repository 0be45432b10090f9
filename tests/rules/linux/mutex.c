/* linux/mutex: mutexes. */
struct mutex { int word; };
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
int mutex_trylock(struct mutex *lock);
int mutex_lock_interruptible(struct mutex *lock);
int work(void);

struct device { struct mutex lock; int users; } one, two;

int keeps_two_objects(void) {
    struct device *d[2] = {&one, &two};
    int n;
    for (n = 0; n < 2; n++)
        mutex_lock(&d[n]->lock);
    mutex_unlock(&two.lock);
    mutex_unlock(&one.lock);
    return 0;
}

int breaks_same_object_twice(void) {
    struct device *d[2] = {&one, work() ? &one : &two};
    int n;
    for (n = 0; n < 2; n++)
        mutex_lock(&d[n]->lock);
    for (n = 0; n < 2; n++)
        mutex_unlock(&d[n]->lock);
    return 0;
}

int keeps_attempts(void) {
    int n;
    for (n = 0; n < 3; n++)
        if (mutex_trylock(&one.lock)) {
            one.users++;
            mutex_unlock(&one.lock);
        }
    return 0;
}

int breaks_interrupted(void) {
    struct mutex *m = &one.lock;
    if (mutex_lock_interruptible(m) < 0)
        one.users = 0;
    mutex_unlock(&one.lock);
    return 0;
}

int keeps_error_path(void) {
    struct device *d = &two;
    mutex_lock(&d->lock);
    if (work() < 0) {
        mutex_unlock(&two.lock);
        return 1;
    }
    mutex_unlock(&d->lock);
    return 0;
}

int breaks_error_path(void) {
    struct device *d = &two;
    mutex_lock(&d->lock);
    if (work() < 0)
        return 1;
    mutex_unlock(&d->lock);
    return 0;
}
