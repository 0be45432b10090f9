/* posix/fork: processes and mutexes. */
#include <pthread.h>
#include <unistd.h>

struct shared { pthread_mutex_t lock; int n; } s = {PTHREAD_MUTEX_INITIALIZER, 0};
int more(void);

int keeps_lock_by_pointer(void) {
    struct shared *p = &s;
    pthread_mutex_lock(&p->lock);
    p->n++;
    pthread_mutex_unlock(&s.lock);
    return fork() < 0;
}

int breaks_lock_by_pointer(void) {
    struct shared *p = &s;
    int child;
    pthread_mutex_lock(&p->lock);
    child = fork();
    pthread_mutex_unlock(&s.lock);
    return child < 0;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        if (fork() == 0)
            return 0;
        pthread_mutex_lock(&s.lock);
        pthread_mutex_unlock(&s.lock);
    }
    return 0;
}

int breaks_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        if (n == 2 && fork() == 0)
            return 0;
        pthread_mutex_lock(&s.lock);
        if (more())
            continue;
        pthread_mutex_unlock(&s.lock);
    }
    return 0;
}

int keeps_failed_attempt(void) {
    pthread_mutex_t *m = &s.lock;
    if (pthread_mutex_trylock(m) != 0)
        return fork() < 0;
    pthread_mutex_unlock(m);
    return 0;
}

int breaks_attempt(void) {
    pthread_mutex_t *m = &s.lock, *other = m;
    if (pthread_mutex_trylock(other) == 0) {
        if (more())
            pthread_mutex_unlock(m);
        return fork() < 0;
    }
    return 0;
}
