//@ options: --tune without=bounds,induction,unrolling,refiner=wp,max-iterations=8,blocks=basic
#include <assert.h>

int tick(void);

static unsigned seconds, minutes;

static void second(void) {
    if (++seconds == 60) {
        seconds = 0;
        minutes++;
    }
}

int main(void) {
    while (tick())
        second();
    assert(seconds < 60);
}
