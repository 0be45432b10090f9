/* c/va_list: lists of arguments. */
#include <stdarg.h>

int failed(void);
struct args { va_list list; };

static int begin_and_end(int n, ...) {
    va_list list;
    va_start(list, n);
    va_end(list);
    return n;
}

int keeps_loop_of_calls(void) {
    int n, sum = 0;
    for (n = 0; n < 3; n++)
        sum += begin_and_end(n, n, n);
    return sum;
}

static int early(int n, ...) {
    va_list list;
    va_start(list, n);
    if (failed())
        return 1;
    va_end(list);
    return 0;
}

int breaks_early_return(void) {
    return early(1, 2);
}

static int by_pointer(int n, ...) {
    struct args all, *p = &all;
    va_start(p->list, n);
    va_end(all.list);
    return n;
}

int keeps_list_in_a_structure(void) {
    return by_pointer(1, 2);
}

static int twice(int n, ...) {
    struct args all;
    va_start(all.list, n);
    va_end(all.list);
    va_end(all.list);
    return n;
}

int breaks_ended_twice(void) {
    return twice(1, 2);
}

static int error_path(int n, ...) {
    va_list list;
    int result = 0;
    va_start(list, n);
    if (failed()) {
        result = -1;
        goto out;
    }
    result = n;
out:
    va_end(list);
    return result;
}

int keeps_error_path(void) {
    return error_path(2, 3);
}

static int again(int n, ...) {
    va_list list;
    int k;
    for (k = 0; k < n; k++)
        va_start(list, n);
    va_end(list);
    return n;
}

int breaks_begun_in_a_loop(void) {
    return again(2, 3);
}
