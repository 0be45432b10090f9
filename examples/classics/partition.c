//@ verdict: SAFE
// A list is split: the cells with values above a bound go to a list of their own. What is unlinked is not its own predecessor.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    int val;
    struct cell *next;
};

struct cell *take_larger(struct cell **list, int v) {
    struct cell *prev = NULL;
    struct cell *curr = *list;
    struct cell *taken = NULL;
    while (curr != NULL) {
        struct cell *rest = curr->next;
        if (curr->val <= v) {
            prev = curr;
        } else {
        MARK:
            assert(curr != prev && (prev == NULL || prev->val <= v));
            if (prev == NULL)
                *list = rest;
            else
                prev->next = rest;
            curr->next = taken;
            taken = curr;
        }
        curr = rest;
    }
    return taken;
}

int main(void) {
    struct cell *list = NULL;
    struct cell *larger;
    while (__VERIFIER_nondet_int()) {
        struct cell *head = malloc(sizeof *head);
        if (head == NULL)
            break;
        head->val = __VERIFIER_nondet_int();
        head->next = list;
        list = head;
    }
    larger = take_larger(&list, __VERIFIER_nondet_int());
    return larger != NULL;
}
