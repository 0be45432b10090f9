//@ verdict: UNSAFE
// Sorts up to 15 numbers with a heap, the smallest first.
// Bug: line 35 takes the right child when it is larger, where the smaller one must come up.
// Input: args [], stdin "1 2 3 9 8 7 4\n"
#include <assert.h>
#include <stdio.h>

#define MAX 15

static int heap[MAX];
static int size;

static void swap(int i, int j) {
    int t = heap[i];
    heap[i] = heap[j];
    heap[j] = t;
}

static void insert(int value) {
    int i = size++;
    heap[i] = value;
    while (i > 0 && heap[(i - 1) / 2] > heap[i]) {
        swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static int take_smallest(void) {
    int smallest = heap[0], i = 0;
    heap[0] = heap[--size];
    for (;;) {
        int child = 2 * i + 1;
        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1] > heap[child])
            child++;
        if (heap[i] <= heap[child])
            break;
        swap(i, child);
        i = child;
    }
    return smallest;
}

int main(void) {
    int x, last, n;

    while (size < MAX && scanf("%d", &x) == 1)
        insert(x);
    if (size == 0)
        return 0;
    last = take_smallest();
    printf("%d\n", last);
    for (n = size; n > 0; n--) {
        x = take_smallest();
        assert(x >= last);
        printf("%d\n", x);
        last = x;
    }
    return 0;
}
