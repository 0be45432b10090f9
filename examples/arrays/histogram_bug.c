//@ verdict: UNSAFE
// All numbers may be the same.
#include <assert.h>
extern int input(void);
int main(void) {
    int count[10], i, n = 0;
    for (i = 0; i < 10; i++) count[i] = 0;
    for (;;) { int c = input(); if (c < 0) break; count[c % 10]++; if (++n == 1000) break; }
    for (i = 0; i < 10; i++) assert(count[i] >= 0 && count[i] < n || n == 0);
    return 0;
}
