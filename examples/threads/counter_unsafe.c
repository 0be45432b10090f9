//@ verdict: UNSAFE
// Without a lock both threads may read the counter before either writes it.
#include <assert.h>
#include <pthread.h>

static int count;

static void *add(void *unused) {
    count++;
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, add, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    return 0;
}
