/* linux/usblock: memory while a device is locked. */
struct usb_interface;
struct usb_device { int state; };
void usb_lock_device(struct usb_device *device);
void usb_unlock_device(struct usb_device *device);
int usb_trylock_device(struct usb_device *device);
int usb_lock_device_for_reset(struct usb_device *device, const struct usb_interface *interface);
void *kmalloc(unsigned long size, unsigned flags);
void *vmalloc(unsigned long size);
extern const struct usb_interface *interface;

struct usb_device d;
void *memory;

int keeps_flags_in_a_variable(void) {
    unsigned flags = 0xcc0, *p = &flags;
    usb_lock_device(&d);
    *p = 16;
    memory = kmalloc(8, flags);
    usb_unlock_device(&d);
    return 0;
}

int breaks_flags_in_a_variable(void) {
    unsigned flags = 16, *p = &flags;
    usb_lock_device(&d);
    *p = 0xcc0;
    memory = kmalloc(8, flags);
    usb_unlock_device(&d);
    return 0;
}

int keeps_loop(void) {
    struct usb_device *p = &d;
    int n;
    for (n = 0; n < 3; n++) {
        memory = kmalloc(8, 0xcc0);
        usb_lock_device(p);
        usb_unlock_device(&d);
    }
    return 0;
}

int breaks_loop(void) {
    int n;
    for (n = 0; n < 3; n++) {
        if (n == 2)
            memory = vmalloc(8);
        if (n == 1)
            usb_lock_device(&d);
    }
    usb_unlock_device(&d);
    return 0;
}

int keeps_failed_attempt(void) {
    if (usb_lock_device_for_reset(&d, interface) != 0) {
        memory = vmalloc(8);
        return 1;
    }
    memory = kmalloc(8, 32);
    usb_unlock_device(&d);
    return 0;
}

int breaks_attempt(void) {
    if (usb_trylock_device(&d)) {
        memory = kmalloc(8, 0xcc0);
        usb_unlock_device(&d);
    }
    return 0;
}
