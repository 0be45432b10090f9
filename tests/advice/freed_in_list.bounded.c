//@ options: --check free --max-iterations 16
#include <stdlib.h>

int more(void);

struct node { struct node *next; };

int main(void) {
    struct node *list = 0;
    int nodes = 0;
    while (nodes++ < 2 && more()) {
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
