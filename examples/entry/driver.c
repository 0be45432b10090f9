/* A driver without main: somebody else calls its functions (docs/guide/entry.md). */
struct mutex {
    int word;
};
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

static struct mutex lock;
static int users, broken;

int driver_init(int mode) {
    if (mode < 0)
        return -22;
    users = 0;
    return 0;
}

void driver_open(void) {
    mutex_lock(&lock);
    users++;
    mutex_unlock(&lock);
}

int driver_write(const int *data) {
    mutex_lock(&lock);
    if (users == 0) {
        broken = 1;
        mutex_unlock(&lock);
        return -19;
    }
    if (data == 0)
        return -14; /* the lock stays locked */
    mutex_unlock(&lock);
    return *data;
}

void driver_exit(void) {
    mutex_lock(&lock);
    users = 0;
    mutex_unlock(&lock);
}
