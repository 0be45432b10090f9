//@ verdict: SAFE
// Dekker's algorithm: a thread that finds the other one interested gives way when it is not its turn.
#include <assert.h>
#include <pthread.h>

static int left, right, turn, inside;

static void *one(void *unused) {
    left = 1;
    while (right) {
        if (turn != 0) {
            left = 0;
            while (turn != 0)
                ;
            left = 1;
        }
    }
    inside = 1;
    assert(inside == 1);
    turn = 1;
    left = 0;
    return 0;
}

static void *other(void *unused) {
    right = 1;
    while (left) {
        if (turn != 1) {
            right = 0;
            while (turn != 1)
                ;
            right = 1;
        }
    }
    inside = 2;
    assert(inside == 2);
    turn = 0;
    right = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    return 0;
}
