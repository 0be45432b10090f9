//@ verdict: SAFE
// A list is searched for a value: the result is NULL or a cell that holds it.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct cell {
    int val;
    struct cell *next;
};

struct cell *find(struct cell *list, int key) {
    struct cell *at = list;
    while (at != NULL) {
        if (at->val == key)
            return at;
        at = at->next;
    }
    return NULL;
}

int main(void) {
    struct cell *list = NULL;
    struct cell *found;
    int key = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        struct cell *head = malloc(sizeof *head);
        if (head == NULL)
            break;
        head->val = __VERIFIER_nondet_int();
        head->next = list;
        list = head;
    }
    found = find(list, key);
MARK:
    assert(found == NULL || found->val == key);
    return 0;
}
