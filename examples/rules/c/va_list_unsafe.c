/* Breaks the rule c/va_list. */
#include <stdarg.h>

int take(int count, ...) {
    va_list list;
    va_start(list, count);
    if (count > 1)
        return 0; /* without va_end */
    va_end(list);
    return count;
}

int main(void) {
    return take(1, 2) + take(2, 3, 4);
}
