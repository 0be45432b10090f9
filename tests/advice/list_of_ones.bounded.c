//@ options: --max-iterations 8
#include <assert.h>
#include <stdlib.h>

int more(void);

struct node { int value; struct node *next; };

int main(void) {
    struct node *list = 0;
    int nodes = 0;
    while (nodes++ < 2 && more()) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->value = 1;
        n->next = list;
        list = n;
    }
    for (struct node *n = list; n; n = n->next)
        assert(n->value == 1);
}
