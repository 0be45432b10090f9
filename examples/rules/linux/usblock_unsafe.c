/* Breaks the rule linux/usblock. */
#define GFP_KERNEL 0xcc0
#define GFP_NOIO 16
struct usb_device;
typedef unsigned gfp_t;
void usb_lock_device(struct usb_device *device);
void usb_unlock_device(struct usb_device *device);
void *kmalloc(unsigned long size, gfp_t flags);
void kfree(const void *memory);
extern struct usb_device *device;

void *fresh(void) {
    return kmalloc(8, GFP_KERNEL);
}

int main(void) {
    usb_lock_device(device);
    void *inside = fresh();
    usb_unlock_device(device);
    kfree(inside);
    return 0;
}
