/* Keeps the rule linux/rculock. */
void rcu_read_lock(void);
void rcu_read_unlock(void);
int lookup(int key);

int get(int key) {
    rcu_read_lock();
    int found = lookup(key);
    rcu_read_unlock();
    return found;
}

int main(void) {
    rcu_read_lock();
    int sum = get(1) + get(2);
    rcu_read_unlock();
    return sum;
}
