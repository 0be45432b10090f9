#include <assert.h>
#include <string.h>
struct defined_elsewhere;
extern struct defined_elsewhere store;
int main(void) {
    long n = 42, m = 0;
    memcpy(&store, &n, sizeof n);
    memcpy(&m, &store, sizeof m);
    assert(m == 42);
    return 0;
}
