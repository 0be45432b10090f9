#include "vec.h"

int __VERIFIER_nondet_int(void);

int main(void) {
    vec_int_t v;
    vec_init(&v);
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        vec_push(&v, __VERIFIER_nondet_int());
    if (v.length > 0)
        n = vec_pop(&v);
    vec_deinit(&v);
    return n;
}
