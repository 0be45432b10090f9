//@ options: --tune max-iterations=8
//@ bounded: -DMOST=2
#include <assert.h>
#include <stdlib.h>

int more(void);

#ifdef MOST
static int turns;
#define more() (turns++ < MOST && more())
#endif

struct node { int value; struct node *next; };

int main(void) {
    struct node *list = 0;
    while (more()) {
        struct node *n = malloc(sizeof *n);
        if (!n) return 1;
        n->value = 1;
        n->next = list;
        list = n;
    }
    for (struct node *n = list; n; n = n->next)
        assert(n->value == 1);
}
