//@ verdict: SAFE
// A list is reversed in place: the part that is done and the part to do never begin with the same cell. The cells are
// numbered along the list, so that it has no cycle; that the next number is smaller is assumed where a link is read.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

struct cell {
    int rank;
    struct cell *next;
};

struct cell *reverse(struct cell *list) {
    struct cell *done = NULL;
    struct cell *todo = list;
    while (todo != NULL) {
        struct cell *rest;
    MARK:
        assert(done == NULL || todo != done);
        rest = todo->next;
        __VERIFIER_assume(rest == NULL || rest->rank < todo->rank);
        todo->next = done;
        done = todo;
        todo = rest;
    }
    return done;
}

int main(void) {
    struct cell *list = NULL;
    int rank = 0;
    while (rank < 1000 && __VERIFIER_nondet_int()) {
        struct cell *head = malloc(sizeof *head);
        if (head == NULL)
            break;
        head->rank = rank;
        head->next = list;
        list = head;
        rank = rank + 1;
    }
    list = reverse(list);
    return list != NULL;
}
