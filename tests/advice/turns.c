//@ options: --tune max-iterations=2,without=induction,unrolling,bounds
#include <assert.h>

int any(void);

int main(void) {
    int state = 0;
    while (any()) {
        switch (state) {
        case 0: state = 1; break;
        case 1: state = any() ? 2 : 0; break;
        case 2: state = 0; break;
        default: state = 7;
        }
    }
    assert(state <= 2);
}
