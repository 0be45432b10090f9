#include <assert.h>
int main(void) {
    unsigned x = 1;
    for (int i = 0; i < 300; i++) x = x * 1103515245u + 12345u;
    assert(x != 7);
    return 0;
}
