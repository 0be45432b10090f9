//@ options: --time-limit 3s
#include <assert.h>

int any(void);

int main(void) {
    int x = any(), y = any();
    if (x < 1 || y < 1 || x > 1000 || y > 30000) return 0;
    assert(y * y != x * x * x + 7);
}
