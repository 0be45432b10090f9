//@ verdict: SAFE --check all
// Shows the last 16 characters of standard input: a ring buffer that drops the oldest character
// when it is full.
#include <assert.h>
#include <stdio.h>

#define CAPACITY 16

struct ring {
    char data[CAPACITY];
    unsigned head;
    unsigned count;
};

static void ring_init(struct ring *r) {
    r->head = 0;
    r->count = 0;
}

static int ring_get(struct ring *r, char *out) {
    if (r->count == 0)
        return 0;
    *out = r->data[r->head];
    r->head = (r->head + 1) % CAPACITY;
    r->count--;
    return 1;
}

static void ring_put(struct ring *r, char c) {
    char dropped;
    if (r->count == CAPACITY)
        ring_get(r, &dropped);
    r->data[(r->head + r->count) % CAPACITY] = c;
    r->count++;
    assert(r->count <= CAPACITY);
    assert(r->head < CAPACITY);
}

int main(void) {
    struct ring last;
    int c;
    char out;

    ring_init(&last);
    while ((c = getchar()) != EOF)
        if (c != '\n' && c != '\r')
            ring_put(&last, (char)c);

    while (ring_get(&last, &out))
        putchar(out);
    putchar('\n');
    assert(last.count == 0);
    return 0;
}
