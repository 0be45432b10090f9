//@ verdict: SAFE
// A switch whose cases fall through, with the default in the middle.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int level = __VERIFIER_nondet_int();
    int power = 0;
    int clock = 0;
    int bus = 0;
    switch (level) {
    case 3:
        bus = 1;
        /* fall through */
    case 2:
        clock = 1;
        /* fall through */
    case 1:
        power = 1;
        break;
    default:
        level = 0;
        break;
    case 4:
        power = 2;
    }
    assert(!bus || clock);
    assert(!clock || power == 1);
    assert(level != 0 || power == 0);
    assert(level != 3 || bus);
    return 0;
}
