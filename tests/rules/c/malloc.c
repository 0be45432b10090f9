/* c/malloc: memory. */
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char *name; };

int keeps_realloc(void) {
    char *p = malloc(4), *q;
    if (!p)
        return 1;
    q = realloc(p, 8);
    if (!q) {
        free(p);
        return 1;
    }
    free(q);
    return 0;
}

int breaks_realloc_result_is_lost(void) {
    char *p = malloc(4), *q;
    if (!p)
        return 1;
    q = realloc(p, 8);
    if (!q)
        free(p);
    return 0;
}

int keeps_growing_in_a_loop(void) {
    char *all = NULL;
    int n;
    for (n = 1; n < 4; n++) {
        char *more = realloc(all, n * 8);
        if (!more)
            break;
        all = more;
    }
    free(all);
    return 0;
}

int breaks_alias_is_freed_again(void) {
    struct node *a = malloc(sizeof *a), *b = a;
    if (!a)
        return 1;
    a->next = NULL;
    free(b);
    free(a);
    return 0;
}

int keeps_error_path(void) {
    struct node *n = malloc(sizeof *n);
    if (!n)
        return 1;
    n->name = strdup("name");
    if (!n->name) {
        free(n);
        return 2;
    }
    free(n->name);
    free(n);
    return 0;
}

int breaks_error_path(void) {
    char *old = malloc(4), *p = old;
    if (!p)
        return 1;
    p = realloc(p, 400);
    if (!p)
        return 2; /* the old memory is still there */
    free(p);
    return 0;
}
