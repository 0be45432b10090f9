/* Keeps the rule posix/fork. */
#include <pthread.h>
#include <unistd.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int shared;

int main(void) {
    pthread_mutex_lock(&a);
    shared++;
    pthread_mutex_unlock(&a);
    if (fork() == 0)
        return 1;
    return 0;
}
