//@ verdict: SAFE
// A ticket lock: who draws a ticket waits until it is called.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next, called;
static int inside;

static void *work(void *unused) {
    int ticket = atomic_fetch_add(&next, 1);
    while (atomic_load(&called) != ticket)
        ;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    atomic_fetch_add(&called, 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
