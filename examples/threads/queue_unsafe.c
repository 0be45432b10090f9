//@ verdict: UNSAFE
// A queue of work from which the workers take without the lock: one item may be done twice.
#include <assert.h>
#include <pthread.h>

#define ITEMS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, done;

static void *work(void *unused) {
    for (;;) {
        int item = next;
        if (item < ITEMS)
            next++;
        if (item >= ITEMS)
            return 0;
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(done == ITEMS);
    return 0;
}
