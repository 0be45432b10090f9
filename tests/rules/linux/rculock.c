/* linux/rculock: sections that read under RCU. */
void rcu_read_lock(void);
void rcu_read_unlock(void);
void rcu_read_lock_bh(void);
void rcu_read_unlock_bh(void);
int found(void);

struct list { struct list *next; int key; } end, first = {&end, 1};

int keeps_walk_of_a_list(void) {
    struct list *p;
    rcu_read_lock();
    for (p = &first; p; p = p->next)
        if (p->key == 0)
            break;
    rcu_read_unlock();
    return 0;
}

int breaks_walk_of_a_list(void) {
    struct list *p;
    rcu_read_lock();
    for (p = &first; p; p = p->next)
        if (found())
            return 1;
    rcu_read_unlock();
    return 0;
}

static void section(int depth) {
    if (depth == 0)
        return;
    rcu_read_lock();
    section(depth - 1);
    rcu_read_unlock();
}

int keeps_nested(void) {
    section(2);
    return 0;
}

int breaks_nested(void) {
    int n;
    for (n = 0; n < 2; n++)
        rcu_read_lock();
    for (n = 0; n <= 2; n++)
        rcu_read_unlock();
    return 0;
}

int keeps_calls_through_pointers(void) {
    void (*open)(void) = rcu_read_lock_bh, (*close)(void) = rcu_read_unlock_bh;
    open();
    close();
    return 0;
}

int breaks_other_kind(void) {
    void (*close)(void) = found() ? rcu_read_unlock : rcu_read_unlock_bh;
    rcu_read_lock();
    close();
    return 0;
}
