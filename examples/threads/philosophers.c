//@ verdict: SAFE --check deadlock
// Dining philosophers who take the fork with the smaller number first: none waits for ever.
#include <pthread.h>

#define PHILOSOPHERS 3

static pthread_mutex_t forks[PHILOSOPHERS];

static void *dine(void *number) {
    int first = (int)(long)number, second = (first + 1) % PHILOSOPHERS;
    if (second < first) {
        second = first;
        first = 0;
    }
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return 0;
}

int main(void) {
    pthread_t threads[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&threads[i], 0, dine, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
