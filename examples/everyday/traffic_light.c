//@ verdict: SAFE --check all
// A crossing with two traffic lights and a button for pedestrians, driven by characters: 't' is a
// tick of the clock, 'p' the button. Never do two directions have green at once.
#include <assert.h>
#include <stdio.h>

enum colour { RED, YELLOW, GREEN };
enum phase { MAIN_GREEN, MAIN_YELLOW, SIDE_GREEN, SIDE_YELLOW, WALK };

struct crossing {
    enum phase phase;
    enum colour main_road, side_road;
    int walking;
    int button;
};

static void enter(struct crossing *c, enum phase phase) {
    c->phase = phase;
    c->main_road = RED;
    c->side_road = RED;
    c->walking = 0;
    switch (phase) {
    case MAIN_GREEN:
        c->main_road = GREEN;
        break;
    case MAIN_YELLOW:
        c->main_road = YELLOW;
        break;
    case SIDE_GREEN:
        c->side_road = GREEN;
        break;
    case SIDE_YELLOW:
        c->side_road = YELLOW;
        break;
    case WALK:
        c->walking = 1;
        c->button = 0;
        break;
    }
}

static void tick(struct crossing *c) {
    switch (c->phase) {
    case MAIN_GREEN:
        enter(c, MAIN_YELLOW);
        break;
    case MAIN_YELLOW:
        enter(c, c->button ? WALK : SIDE_GREEN);
        break;
    case WALK:
        enter(c, SIDE_GREEN);
        break;
    case SIDE_GREEN:
        enter(c, SIDE_YELLOW);
        break;
    case SIDE_YELLOW:
        enter(c, MAIN_GREEN);
        break;
    }
}

int main(void) {
    struct crossing c;
    int event;

    c.button = 0;
    enter(&c, MAIN_GREEN);
    while ((event = getchar()) != EOF) {
        if (event == 't')
            tick(&c);
        else if (event == 'p')
            c.button = 1;
        assert(c.main_road == RED || c.side_road == RED);
        if (c.walking)
            assert(c.main_road == RED && c.side_road == RED);
    }
    printf("phase %d\n", (int)c.phase);
    return 0;
}
