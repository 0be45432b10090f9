//@ verdict: SAFE
// Threads that a loop starts, each with its own part of the work: an argument with the place for its result.
#include <assert.h>
#include <pthread.h>

#define WORKERS 3

struct work {
    int from;
    int *sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sums[WORKERS], finished;

static void *add(void *argument) {
    struct work *work = argument;
    for (int i = work->from; i < work->from + 2; i++)
        *work->sum += i;
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[WORKERS];
    struct work work[WORKERS];
    int total = 0;
    for (int i = 0; i < WORKERS; i++) {
        work[i].from = 2 * i;
        work[i].sum = &sums[i];
        pthread_create(&threads[i], 0, add, &work[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], 0);
        total += sums[i];
    }
    assert(finished == WORKERS && total == 15);
    return 0;
}
