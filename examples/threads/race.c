//@ verdict: SAFE --check race
// A counter that each access holds the lock for, and a flag that is atomic: there is no data race.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static atomic_int ready;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    if (ready) {
        pthread_mutex_lock(&lock);
        count = 0;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
