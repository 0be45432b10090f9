//@ verdict: SAFE
// A driver whose objects of three types come from one allocator, kmalloc: a device with its lock, items in a list, and buffers.
// With -D MACRO the allocator is a macro; with -D BROKEN an early return leaves the lock locked.
extern int __VERIFIER_nondet_int(void);
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void free(void *memory);
extern void *memset(void *at, int byte, size_t size);
#define NULL ((void *)0)
#define GFP_KERNEL 208
#define GFP_ATOMIC 32

#ifdef MACRO
#define kmalloc(size, flags) malloc(size)
#define kfree(memory) free(memory)
#else
static void *kmalloc(size_t size, int flags) {
    void *memory = malloc(size);
    if (flags < 0)
        return NULL;
    return memory;
}

static void kfree(void *memory) { free(memory); }
#endif

struct spinlock { int held; };
struct device { struct spinlock lock; int open; int level; struct item *items; struct buffer *buffer; };
struct item { int id; int size; struct item *next, *previous; };
struct buffer { char data[32]; int used; };

static struct device *the_device;

static void spin_lock(struct spinlock *lock) {
    if (lock->held) {
    ERROR:
        return;
    }
    lock->held = 1;
}

static void spin_unlock(struct spinlock *lock) {
    if (!lock->held) {
    ERROR:
        return;
    }
    lock->held = 0;
}

static void list_add(struct item *item, struct device *device) {
    item->next = device->items;
    item->previous = NULL;
    if (device->items != NULL)
        device->items->previous = item;
    device->items = item;
}

static void list_del(struct item *item, struct device *device) {
    if (item->previous != NULL)
        item->previous->next = item->next;
    else
        device->items = item->next;
    if (item->next != NULL)
        item->next->previous = item->previous;
}

static int driver_init(void) {
    struct device *device = kmalloc(sizeof *device, GFP_KERNEL);
    if (device == NULL)
        return -12;
    device->lock.held = 0;
    device->open = 0;
    device->level = 0;
    device->items = NULL;
    device->buffer = kmalloc(sizeof *device->buffer, GFP_KERNEL);
    if (device->buffer == NULL) {
        kfree(device);
        return -12;
    }
    device->buffer->used = 0;
    the_device = device;
    return 0;
}

static void driver_exit(void) {
    struct device *device = the_device;
    the_device = NULL;
    kfree(device->buffer);
    kfree(device);
}

static int driver_open(struct device *device) {
    spin_lock(&device->lock);
    if (device->open > 0) {
        spin_unlock(&device->lock);
        return -16;
    }
    device->open++;
    spin_unlock(&device->lock);
    return 0;
}

static int driver_write(struct device *device, int size) {
    struct item *item = kmalloc(sizeof *item, GFP_KERNEL);
    if (item == NULL)
        return -12;
    item->id = size;
    item->size = size;
    spin_lock(&device->lock);
    list_add(item, device);
    device->level++;
    spin_unlock(&device->lock);
    return size;
}

static int driver_read(struct device *device) {
    struct item *item;
    int size;
    spin_lock(&device->lock);
    item = device->items;
    if (item == NULL) {
#ifndef BROKEN
        spin_unlock(&device->lock);
#endif
        return 0;
    }
    list_del(item, device);
    size = item->size;
    device->buffer->used = size;
    device->level--;
    spin_unlock(&device->lock);
    kfree(item);
    return size;
}

static int driver_ioctl(struct device *device, int command) {
    struct buffer *buffer = kmalloc(sizeof *buffer, GFP_ATOMIC);
    if (buffer == NULL)
        return -12;
    memset(buffer, 0, sizeof *buffer);
    spin_lock(&device->lock);
    switch (command) {
    case 0:
        buffer->used = device->level;
        break;
    case 1:
        device->level = 0;
        break;
    default:
        spin_unlock(&device->lock);
        kfree(buffer);
        return -22;
    }
    spin_unlock(&device->lock);
    kfree(device->buffer);
    device->buffer = buffer;
    return 0;
}

int main(void) {
    if (driver_init())
        return 0;
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            driver_open(the_device);
            break;
        case 1:
            driver_write(the_device, __VERIFIER_nondet_int());
            break;
        case 2:
            driver_read(the_device);
            break;
        default:
            driver_ioctl(the_device, __VERIFIER_nondet_int());
        }
    }
    driver_exit();
    return 0;
}
