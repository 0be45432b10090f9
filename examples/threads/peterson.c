//@ verdict: SAFE
// Peterson's algorithm keeps two threads out of each other's critical sections.
#include <assert.h>
#include <pthread.h>

static int wants[2], turn, inside;

static void *one(void *unused) {
    wants[0] = 1;
    turn = 1;
    while (wants[1] && turn == 1)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    wants[0] = 0;
    return 0;
}

static void *other(void *unused) {
    wants[1] = 1;
    turn = 0;
    while (wants[0] && turn == 0)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    wants[1] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
