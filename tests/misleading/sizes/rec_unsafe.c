#include <stdlib.h>
static void f(int *p, int n) {
    if (n == 0)return;
    *p = 1;
    f(p+1, n-1);
}
int main(void) {
    int t[5];
    f(t, 6);
    return 0;
}
