#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int r = __VERIFIER_nondet_int();
    if (r < 1 || r > 10)return 0;
    int (*m)[4] = malloc(r*sizeof *m);
    if (!m)return 0;
    for (int i = 0; i < r; i++)for (int j = 0; j < 4; j++)m[i][j] = 0;
    return 0;
}
