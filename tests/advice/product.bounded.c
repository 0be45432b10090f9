//@ options: --time-limit 60s
#include <assert.h>

int any(void);

int main(void) {
    int x = any(), y = any();
    if (x < 1 || y < 1 || x > 4 || y > 9) return 0;
    assert(y * y != x * x * x + 7);
}
