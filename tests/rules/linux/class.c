/* linux/class: classes of drivers. */
struct class_interface;
int class_interface_register(struct class_interface *interface);
void class_interface_unregister(struct class_interface *interface);
int add(void);
extern struct class_interface *interface;

struct driver { struct class_interface *interface; int ready; } d;

static int init(struct driver *p) {
    int status = class_interface_register(p->interface);
    p->ready = status == 0;
    return status;
}

static void finish(struct driver *p) {
    if (p->ready)
        class_interface_unregister(p->interface);
    p->ready = 0;
}

int keeps_state_behind_a_pointer(void) {
    struct driver *p = &d;
    init(p);
    finish(&d);
    return 0;
}

int breaks_state_behind_a_pointer(void) {
    struct driver *p = &d;
    init(p);
    d.ready = 1;
    finish(p);
    return 0;
}

int keeps_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        if (init(&d) < 0)
            break;
        finish(&d);
    }
    return 0;
}

int breaks_second_turn(void) {
    int n;
    for (n = 0; n < 2; n++)
        if (init(&d) < 0)
            return 1;
    finish(&d);
    return 0;
}

int keeps_error_path(void) {
    if (class_interface_register(interface))
        return 1;
    if (add() < 0) {
        class_interface_unregister(interface);
        return 2;
    }
    class_interface_unregister(interface);
    return 0;
}

int breaks_error_path(void) {
    if (class_interface_register(interface))
        return 1;
    if (add() < 0)
        return 2;
    class_interface_unregister(interface);
    return 0;
}
