//@ verdict: SAFE
// A list of three nodes, built by hand and walked to its end.
#include <stddef.h>
extern void reach_error(void);

struct node {
    int ready;
    struct node *next;
};

int main(void) {
    struct node a;
    struct node b;
    struct node c;
    struct node *p;
    a.next = &b;
    b.next = &c;
    c.next = NULL;
    a.ready = 1;
    b.ready = 1;
    c.ready = 1;
    p = &a;
    while (p != NULL) {
        if (p->ready != 1)
            reach_error();
        p = p->next;
    }
    return 0;
}
