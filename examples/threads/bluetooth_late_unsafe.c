//@ verdict: UNSAFE
// The Bluetooth driver of [LMP09], in which a thread that comes too late gives back its place twice: two threads that work find it.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#define ADDERS 2

static int pending = 1, stopping, stopped, may_stop;

static void leave(void) {
    int left;
    __VERIFIER_atomic_begin();
    pending--;
    left = pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        may_stop = 1;
}

static int enter(void) {
    __VERIFIER_atomic_begin();
    pending++;
    __VERIFIER_atomic_end();
    if (stopping) {
        leave();
        return 0;
    }
    return 1;
}

static void *add(void *unused) {
    if (enter())
        assert(!stopped);
    leave();
    return 0;
}

static void *stop(void *unused) {
    stopping = 1;
    leave();
    while (!may_stop)
        ;
    stopped = 1;
    return 0;
}

int main(void) {
    pthread_t adders[ADDERS], stopper;
    for (int i = 0; i < ADDERS; i++)
        pthread_create(&adders[i], 0, add, 0);
    pthread_create(&stopper, 0, stop, 0);
    for (int i = 0; i < ADDERS; i++)
        pthread_join(adders[i], 0);
    return 0;
}
