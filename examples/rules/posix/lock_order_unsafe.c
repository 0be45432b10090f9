/* Breaks the rule posix/lock_order. */
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int shared;

void both(void) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    shared++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

int main(void) {
    both();
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    shared = 0;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}
