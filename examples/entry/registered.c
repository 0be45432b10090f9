/* A driver without main that registers its functions (docs/guide/entry.md). */
struct mutex {
    int word;
};
struct operations {
    int (*open)(void);
    void (*release)(void);
};
struct driver {
    const char *name;
    const struct operations *operations;
};
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
int register_driver(struct driver *driver);
int request_irq(int line, void (*handler)(int line));

static struct mutex lock;
static int users;

static int counter_open(void) {
    mutex_lock(&lock);
    if (users == 3)
        return -16; /* the lock stays locked */
    users++;
    mutex_unlock(&lock);
    return 0;
}

static void counter_release(void) {
    mutex_lock(&lock);
    users--;
    mutex_unlock(&lock);
}

static void counter_interrupt(int line) {
    users = line;
}

static const struct operations counter_operations = {.open = counter_open, .release = counter_release};
static struct driver counter = {"counter", &counter_operations};

int counter_init(void) {
    if (request_irq(7, counter_interrupt) != 0)
        return -16;
    return register_driver(&counter);
}
