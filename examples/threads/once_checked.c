//@ verdict: SAFE
// Double-checked initialisation, with the second check under the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, made;

static void *use(void *unused) {
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            made++;
            ready = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    assert(made == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
