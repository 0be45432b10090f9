/* Keeps the rule linux/mutex. */
struct mutex { int word; };
void mutex_lock(struct mutex *lock);
int mutex_lock_interruptible(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

struct mutex list_lock;
int length;

int add(void) {
    if (mutex_lock_interruptible(&list_lock))
        return -4;
    length++;
    mutex_unlock(&list_lock);
    return 0;
}

int main(void) {
    while (add() == 0)
        ;
    mutex_lock(&list_lock);
    length = 0;
    mutex_unlock(&list_lock);
    return 0;
}
