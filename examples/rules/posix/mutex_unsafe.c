/* Breaks the rule posix/mutex. */
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int shared;

int main(void) {
    pthread_mutex_lock(&a);
    if (pthread_mutex_trylock(&b) == 0)
        shared++;
    pthread_mutex_unlock(&b); /* perhaps not locked */
    pthread_mutex_unlock(&a);
    return 0;
}
