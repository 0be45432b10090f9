//@ verdict: SAFE
// C11's threads: accounts behind a mutex that its owner may lock again, and what each thread has counted for itself.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int accounts[2] = {3, 0};
static _Thread_local int moved;

static void take(int from) {
    mtx_lock(&lock);
    accounts[from]--;
    mtx_unlock(&lock);
}

static void move(int from, int to) {
    mtx_lock(&lock);
    if (accounts[from] > 0) {
        take(from);
        accounts[to]++;
        moved++;
    }
    mtx_unlock(&lock);
}

static int there(void *unused) {
    move(0, 1);
    move(0, 1);
    return moved;
}

static int back(void *unused) {
    move(1, 0);
    return moved;
}

int main(void) {
    thrd_t first, second;
    int gone, returned;
    mtx_init(&lock, mtx_plain | mtx_recursive);
    thrd_create(&first, there, 0);
    thrd_create(&second, back, 0);
    thrd_join(first, &gone);
    thrd_join(second, &returned);
    assert(gone == 2 && accounts[0] + accounts[1] == 3);
    assert(accounts[1] == gone - returned);
    mtx_destroy(&lock);
    return 0;
}
