/* posix/lock_order: two mutexes. */
#include <pthread.h>

struct account { pthread_mutex_t lock; int sum; };
struct account a = {PTHREAD_MUTEX_INITIALIZER, 1}, b = {PTHREAD_MUTEX_INITIALIZER, 2};
int more(void);

static void both(struct account *x, struct account *y) {
    pthread_mutex_lock(&x->lock);
    pthread_mutex_lock(&y->lock);
    x->sum += y->sum;
    pthread_mutex_unlock(&y->lock);
    pthread_mutex_unlock(&x->lock);
}

int keeps_pointers(void) {
    struct account *p = &a, *q = &b;
    both(p, q);
    both(&a, &b);
    return 0;
}

int breaks_pointers(void) {
    struct account *p = &a, *q = &b;
    both(p, q);
    both(q, p);
    return 0;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++)
        both(&a, &b);
    return 0;
}

int breaks_loop(void) {
    struct account *x[2] = {&a, &b};
    int n;
    for (n = 0; n < 2; n++)
        both(x[n], x[1 - n]);
    return 0;
}

int keeps_one_after_the_other(void) {
    pthread_mutex_lock(&a.lock);
    pthread_mutex_lock(&b.lock);
    pthread_mutex_unlock(&b.lock);
    pthread_mutex_unlock(&a.lock);
    pthread_mutex_lock(&b.lock);
    pthread_mutex_unlock(&b.lock);
    pthread_mutex_lock(&a.lock);
    pthread_mutex_unlock(&a.lock);
    return 0;
}

int breaks_error_path(void) {
    pthread_mutex_lock(&a.lock);
    if (more()) {
        pthread_mutex_lock(&b.lock);
        pthread_mutex_unlock(&b.lock);
    }
    pthread_mutex_unlock(&a.lock);
    pthread_mutex_lock(&b.lock);
    if (more()) {
        pthread_mutex_lock(&a.lock);
        pthread_mutex_unlock(&a.lock);
    }
    pthread_mutex_unlock(&b.lock);
    return 0;
}
