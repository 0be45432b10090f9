//@ options: --time-limit 3s
//@ bounded: --time-limit 60s -DWIDTH=4 -DHEIGHT=9
#include <assert.h>

int any(void);

#ifndef WIDTH
#define WIDTH 1000
#define HEIGHT 30000
#endif

int main(void) {
    int x = any(), y = any();
    if (x < 1 || y < 1 || x > WIDTH || y > HEIGHT) return 0;
    assert(y * y != x * x * x + 7);
}
