//@ verdict: UNSAFE
// A bounded buffer of which the consumers look only once whether there is something: what was there may be gone.
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define ITEMS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void *produce(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (count == SIZE)
            pthread_cond_wait(&changed, &lock);
        count++;
        assert(count <= SIZE);
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consume(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (count == 0)
            pthread_cond_wait(&changed, &lock);
        count--;
        assert(count >= 0);
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    assert(count == 0);
    return 0;
}
