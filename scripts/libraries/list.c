#include "list.h"

int __VERIFIER_nondet_int(void);

int main(void) {
    int values[3] = {1, 2, 3};
    list_t *list = list_new();
    for (int i = 0; i < 3; i++)
        if (__VERIFIER_nondet_int())
            list_rpush(list, list_node_new(&values[i]));
    list_node_t *node = list_at(list, __VERIFIER_nondet_int());
    if (node)
        list_remove(list, node);
    list_destroy(list);
    return 0;
}
