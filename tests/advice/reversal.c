//@ options: --tune max-iterations=12
//@ bounded: -DMOST=2
#include <assert.h>
#include <stdlib.h>

int more(void);

#ifndef MOST
#define MOST 100
#endif

struct node { struct node *next; };

int main(void) {
    struct node *list = 0, *back = 0;
    int count = 0;
    while (more() && count < MOST) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->next = list;
        list = n;
        count++;
    }
    while (list) {
        struct node *next = list->next;
        list->next = back;
        back = list;
        list = next;
    }
    for (; back; back = back->next)
        count--;
    assert(count == 0);
}
