/* Keeps the rule linux/rwlock. */
typedef struct { int word; } rwlock_t;
void read_lock(rwlock_t *lock);
void read_unlock(rwlock_t *lock);
void write_lock(rwlock_t *lock);
void write_unlock(rwlock_t *lock);
int write_trylock(rwlock_t *lock);

rwlock_t table_lock;
int table[4];

int look(int i) {
    read_lock(&table_lock);
    int found = table[i & 3];
    read_unlock(&table_lock);
    return found;
}

int main(void) {
    if (write_trylock(&table_lock)) {
        table[0] = 1;
        write_unlock(&table_lock);
    }
    return look(0);
}
