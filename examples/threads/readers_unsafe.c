//@ verdict: UNSAFE
// The writer has a lock for reading only, which others may have as well.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write(void *unused) {
    pthread_rwlock_rdlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *read(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t writer, first, second;
    pthread_create(&writer, 0, write, 0);
    pthread_create(&first, 0, read, 0);
    pthread_create(&second, 0, read, 0);
    pthread_join(writer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
