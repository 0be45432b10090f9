#include <assert.h>

int any(void);

int main(void) {
    int f = any();
    if (f < -100 || f > 200) return 0;
    double celsius = (f - 32) * 5.0 / 9.0;
    assert(celsius < 100.0);
}
