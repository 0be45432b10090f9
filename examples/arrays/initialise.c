//@ verdict: SAFE
// Every slot of a table of free blocks points to the next one, the last one to none.
#include <assert.h>
extern int input(void);
int main(void) {
    int next[200], n = input(), i;
    if (n < 1 || n > 200) return 0;
    for (i = 0; i < n; i++) next[i] = i + 1;
    next[n - 1] = -1;
    for (i = 0; i + 1 < n; i++) assert(next[i] == i + 1);
    assert(next[n - 1] == -1);
    return 0;
}
