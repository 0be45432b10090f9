//@ options: --check free --tune max-iterations=8
//@ bounded: --tune max-iterations=16 -DMOST=2
#include <stdlib.h>

int more(void);

#ifdef MOST
static int turns;
#define more() (turns++ < MOST && more())
#endif

struct node { struct node *next; };

int main(void) {
    struct node *list = 0;
    while (more()) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}
