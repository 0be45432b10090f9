/* Keeps the rule c/va_list. */
#include <stdarg.h>

int take(int count, ...) {
    va_list list;
    va_start(list, count);
    va_end(list);
    return count;
}

int main(void) {
    return take(1, 2) + take(2, 3, 4) - 3;
}
