#include <assert.h>

int connected;

static void changed(int now) { connected = now; }

void on_change(void (*f)(int));

int main(void) {
    on_change(changed);
    assert(connected == 0 || connected == 1);
}
