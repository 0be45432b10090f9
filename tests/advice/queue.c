//@ options: --tune max-iterations=8
//@ bounded: -DMOST=2
#include <assert.h>
#include <stdlib.h>

int more(void);

#ifdef MOST
static int turns;
#define more() (turns++ < MOST && more())
#endif

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
