//@ options: --tune refiner=wp,without=bounds,induction,unrolling,max-iterations=8
#include <assert.h>

int more(void);

int main(void) {
    int sum = 0, step = 0;
    while (more()) {
        sum = sum + step;
        step = step + 1;
    }
    assert(sum >= 0);
}
