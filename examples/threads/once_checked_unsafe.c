//@ verdict: UNSAFE
// Initialisation that is marked as done before it is: the other thread uses what is not there yet.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, made;

static void *use(void *unused) {
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            ready = 1;
            made++;
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
