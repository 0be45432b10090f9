//@ verdict: SAFE --check all
// An elevator in a house of eight floors. Each step it either gets a request or moves by a floor;
// it never moves with open doors and never leaves the house.
#include <assert.h>

#define FLOORS 8

extern int __VERIFIER_nondet_int(void);

enum state { IDLE, MOVING, OPEN };

static enum state state = IDLE;
static int floor_now = 0;
static int target = 0;
static int doors_open = 0;

static void request(int floor) {
    if (floor < 0 || floor >= FLOORS)
        return;
    if (state == IDLE) {
        target = floor;
        state = MOVING;
    }
}

static void move(void) {
    assert(!doors_open);
    if (floor_now < target)
        floor_now++;
    else if (floor_now > target)
        floor_now--;
    assert(floor_now >= 0 && floor_now < FLOORS);
}

static void step(void) {
    switch (state) {
    case IDLE:
        break;
    case MOVING:
        if (floor_now == target) {
            doors_open = 1;
            state = OPEN;
        } else {
            move();
        }
        break;
    case OPEN:
        doors_open = 0;
        state = IDLE;
        break;
    }
}

int main(void) {
    int command;
    while ((command = __VERIFIER_nondet_int()) != 0) {
        if (command == 1)
            request(__VERIFIER_nondet_int());
        else
            step();
    }
    return 0;
}
