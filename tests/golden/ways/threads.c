#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static int c;
static pthread_mutex_t m;
static void *run(void *arg) {
    pthread_mutex_lock(&m);
    c++;
    c--;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_t t;
        pthread_create(&t, 0, run, 0);
    }
    pthread_mutex_lock(&m);
    assert(c == 0);
    return 0;
}
