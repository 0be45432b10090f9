/* Breaks the rule linux/rculock. */
void rcu_read_lock(void);
void rcu_read_unlock(void);
int lookup(int key);

int get(int key) {
    rcu_read_lock();
    int found = lookup(key);
    if (found < 0)
        return found; /* the section stays open */
    rcu_read_unlock();
    return found;
}

int main(void) {
    return get(1);
}
