/* posix/mutex: mutexes. */
#include <pthread.h>

struct cell { pthread_mutex_t lock; int n; struct cell *next; };
struct cell a = {PTHREAD_MUTEX_INITIALIZER, 1, 0}, b = {PTHREAD_MUTEX_INITIALIZER, 2, &a};
int more(void);

int keeps_walk_hand_over_hand(void) {
    struct cell *c = &b;
    pthread_mutex_lock(&c->lock);
    while (c->next) {
        struct cell *next = c->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&c->lock);
        c = next;
    }
    pthread_mutex_unlock(&a.lock);
    return 0;
}

int breaks_walk_hand_over_hand(void) {
    struct cell *c = &b;
    pthread_mutex_lock(&c->lock);
    while (c->next) {
        c = c->next;
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return 0;
}

int keeps_attempts(void) {
    int n;
    for (n = 0; n < 3; n++) {
        if (pthread_mutex_trylock(&a.lock) != 0)
            continue;
        pthread_mutex_unlock(&a.lock);
    }
    return 0;
}

int breaks_alias(void) {
    pthread_mutex_t *one = &a.lock, *two = more() ? one : &b.lock;
    pthread_mutex_lock(one);
    pthread_mutex_lock(two);
    pthread_mutex_unlock(two);
    if (two != one)
        pthread_mutex_unlock(one);
    return 0;
}

int keeps_error_path(void) {
    if (pthread_mutex_lock(&a.lock) != 0)
        return 1;
    if (more())
        goto out;
    a.n++;
out:
    pthread_mutex_unlock(&a.lock);
    return 0;
}

int breaks_error_path(void) {
    pthread_mutex_lock(&a.lock);
    if (more()) {
        pthread_mutex_destroy(&a.lock);
        return 1;
    }
    pthread_mutex_unlock(&a.lock);
    return 0;
}
