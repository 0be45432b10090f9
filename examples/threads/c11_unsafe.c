//@ verdict: UNSAFE
// C11's threads: whether there is something to take is asked without the lock, and may be wrong when it is taken.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int accounts[2] = {1, 0};
static _Thread_local int moved;

static void take(int from) {
    mtx_lock(&lock);
    accounts[from]--;
    mtx_unlock(&lock);
}

static void move(int from, int to) {
    if (accounts[from] > 0) {
        take(from);
        mtx_lock(&lock);
        accounts[to]++;
        mtx_unlock(&lock);
        moved++;
    }
}

static int work(void *unused) {
    move(0, 1);
    return moved;
}

int main(void) {
    thrd_t first, second;
    int one, other;
    mtx_init(&lock, mtx_plain | mtx_recursive);
    thrd_create(&first, work, 0);
    thrd_create(&second, work, 0);
    thrd_join(first, &one);
    thrd_join(second, &other);
    assert(accounts[0] == 0 && accounts[1] == one + other);
    mtx_destroy(&lock);
    return 0;
}
