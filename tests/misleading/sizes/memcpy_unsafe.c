#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0 || n > 50)return 0;
    int a[49];
    memset(a, 0, sizeof a);
    int *p = malloc(n *sizeof(int));
    if (!p)return 0;
    memcpy(p, a, n *sizeof(int));
    return 0;
}
