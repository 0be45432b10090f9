#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100)return 0;
    char *a = malloc(n), *b = malloc(n+1);
    if (!a||!b)return 0;
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        b[i+1] = a[i];
    }
    return 0;
}
