/* The array that grew is looked at where it was before. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int *a = 0, *kept = 0, room = 0, n = 0;
    while (__VERIFIER_nondet_int()) {
        if (n == room) {
            int *moved = realloc(a, (room + 8) * sizeof *a);
            if (!moved)
                break;
            a = moved;
            room += 8;
            if (n == 0)
                kept = a;
        }
        a[n++] = 1;
    }
    int first = n > 0 ? *kept : 0;
    free(a);
    return first + (kept == 0);
}
