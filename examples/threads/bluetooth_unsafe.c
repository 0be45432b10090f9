//@ verdict: UNSAFE
// The Bluetooth driver of [QW04], which looks whether it is being stopped before it counts itself.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int pending = 1, stopping, stopped, may_stop;

static int enter(void) {
    int entered = 0;
    if (!stopping) {
        __VERIFIER_atomic_begin();
        pending++;
        __VERIFIER_atomic_end();
        entered = 1;
    }
    return entered;
}

static void leave(void) {
    int left;
    __VERIFIER_atomic_begin();
    pending--;
    left = pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        may_stop = 1;
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
    pthread_t stopper;
    pthread_create(&stopper, 0, stop, 0);
    if (enter()) {
        assert(!stopped);
        leave();
    }
    return 0;
}
