//@ verdict: UNSAFE --check deadlock
// Dining philosophers who take the left fork first: each may have one and wait for the other.
#include <pthread.h>

#define PHILOSOPHERS 3

static pthread_mutex_t forks[PHILOSOPHERS];

static void *dine(void *number) {
    int left = (int)(long)number, right = (left + 1) % PHILOSOPHERS;
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
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
