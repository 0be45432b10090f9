#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct vec { int *data; size_t len, cap; };
int push(struct vec *v, int x) {
    if (v->len == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 4;
        int *d = realloc(v->data, cap * sizeof *d);
        if (!d) return -1;
        v->data = d;
        v->cap = cap;
    }
    v->data[v->len++] = x;
    return 0;
}
int main(void) {
    struct vec v = {0, 0, 0};
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 1000; i++) if (push(&v, i)) break;
    int s = 0;
    for (size_t i = 0; i < v.len; i++) s ^= v.data[i];
    free(v.data);
    return s;
}
