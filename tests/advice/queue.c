//@ options: --max-iterations 8
#include <assert.h>
#include <stdlib.h>

int more(void);

struct job { int state; struct job *next; };

int main(void) {
    struct job *first = 0, *last = 0;
    while (more()) {
        struct job *j = malloc(sizeof *j);
        if (!j) break;
        j->state = 1;
        j->next = 0;
        if (last) last->next = j; else first = j;
        last = j;
    }
    while (first) {
        assert(first->state == 1);
        first = first->next;
    }
}
