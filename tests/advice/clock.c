#include <assert.h>

void tick(void (*each)(void));

static unsigned seconds, minutes;

static void second(void) {
    if (++seconds == 60) { seconds = 0; minutes++; }
}

int main(void) {
    tick(second);
    assert(seconds < 60);
}
