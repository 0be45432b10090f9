/* Keeps the rule linux/usblock. */
#define GFP_KERNEL 0xcc0
#define GFP_NOIO 16
struct usb_device;
typedef unsigned gfp_t;
void usb_lock_device(struct usb_device *device);
void usb_unlock_device(struct usb_device *device);
void *kmalloc(unsigned long size, gfp_t flags);
void kfree(const void *memory);
extern struct usb_device *device;

int main(void) {
    void *before = kmalloc(8, GFP_KERNEL);
    usb_lock_device(device);
    void *inside = kmalloc(8, GFP_NOIO);
    usb_unlock_device(device);
    kfree(inside);
    kfree(before);
    return 0;
}
