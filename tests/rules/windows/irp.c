/* windows/irp: requests. */
typedef struct irp { int status; struct irp *next; } IRP;
typedef struct device DEVICE_OBJECT;
void IoCompleteRequest(IRP *irp, char boost);
long IoCallDriver(DEVICE_OBJECT *device, IRP *irp);
void IoMarkIrpPending(IRP *irp);
int valid(IRP *irp);
extern DEVICE_OBJECT *lower;

IRP a, b = {0, &a};

int keeps_queue(void) {
    IRP all[3], *irp;
    for (irp = all; irp < all + 3; irp++)
        IoCompleteRequest(irp, 0);
    return 0;
}

int breaks_queue(void) {
    IRP all[2], *irp = all;
    int n;
    for (n = 0; n < 3; n++) {
        IoCompleteRequest(irp, 0);
        if (irp == all)
            irp++;
    }
    return 0;
}

static long finish(IRP *irp, long status) {
    irp->status = (int)status;
    IoCompleteRequest(irp, 0);
    return status;
}

int keeps_error_path(void) {
    IRP *irp = &a;
    if (!valid(irp))
        return (int)finish(irp, -1);
    return (int)IoCallDriver(lower, irp);
}

int breaks_error_path(void) {
    IRP *irp = &a;
    if (!valid(irp))
        finish(irp, -1);
    return (int)IoCallDriver(lower, &a);
}

int keeps_two_requests(void) {
    IRP *one = &a, *two = &b;
    finish(one, 0);
    IoMarkIrpPending(two);
    finish(two, 0);
    return 0;
}

int breaks_alias(void) {
    IRP *one = &a, *two = b.next;
    finish(one, 0);
    IoMarkIrpPending(two);
    return 0;
}
