/* Breaks the rule linux/mutex. */
struct mutex { int word; };
void mutex_lock(struct mutex *lock);
int mutex_lock_interruptible(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

struct mutex list_lock;
int length;

int add(void) {
    int status = mutex_lock_interruptible(&list_lock);
    length++;
    mutex_unlock(&list_lock); /* perhaps not locked */
    return status;
}

int main(void) {
    return add();
}
