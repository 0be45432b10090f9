#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
union word { unsigned n; unsigned char b[4]; };
int main(void) {
    union word w;
    w.n = __VERIFIER_nondet_uint();
    if (w.b[0] == 0 && w.b[1] == 0 && w.b[2] == 0) assert((w.n & 0xffffff) == 0);
    return 0;
}
