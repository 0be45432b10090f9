#include <stdlib.h>

struct entry {
    int key;
    struct entry *next;
};

struct entry *head, *last;

// Allocation may fail: then nothing is added.
void add(int key) {
    struct entry *e = malloc(sizeof *e);
    if (e == NULL)
        return;
    e->key = key;
    e->next = head;
    head = e;
    last = e;
}

int newest(void) {
    return head->key;
}

int main(void) {
    add(1);
    add(2);
    if (head)
        return newest() - last->key;
    last->key = 0;
    return 0;
}
