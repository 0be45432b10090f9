/* windows/pending: requests that are marked pending. */
/* options: --extern pure */
typedef struct irp { int code; } IRP;
typedef struct device DEVICE_OBJECT;
void IoCompleteRequest(IRP *irp, char boost);
long IoCallDriver(DEVICE_OBJECT *device, IRP *irp);
void IoMarkIrpPending(IRP *irp);
extern DEVICE_OBJECT *lower;

IRP request;

static long mark(IRP *irp) {
    IoMarkIrpPending(irp);
    return 0x103;
}

static long complete(IRP *irp) {
    IoCompleteRequest(irp, 0);
    return 0;
}

static long pass_on(IRP *irp) { return IoCallDriver(lower, irp); }
static long forget(IRP *irp) { IoMarkIrpPending(irp); return 0; }
static long too_early(IRP *irp) { return irp->code ? 0x103 : 0; }

static long (*table[])(IRP *) = {mark, complete, pass_on, forget, too_early};

long DispatchRead(IRP *irp) { return table[irp->code](irp); }

long DispatchWrite(IRP *irp) {
    long status = 0x103;
    if (irp->code < 0) {
        status = -1;
        goto failed;
    }
    IoMarkIrpPending(irp);
failed:
    return irp->code > 5 ? 0 : status;
}

int keeps_table_of_functions(void) {
    int n;
    for (n = 0; n < 3; n++) {
        request.code = n;
        DispatchRead(&request);
    }
    return 0;
}

int breaks_table_of_functions(void) {
    IRP *irp = &request;
    irp->code = 3;
    DispatchRead(&request);
    return 0;
}

int keeps_error_path(void) {
    IRP *irp = &request;
    irp->code = -1;
    DispatchWrite(irp);
    request.code = 1;
    DispatchWrite(irp);
    return 0;
}

int breaks_error_path(void) {
    request.code = 6;
    DispatchWrite(&request);
    return 0;
}

int keeps_completed(void) {
    IRP other, *p = &other;
    p->code = 1;
    return (int)DispatchRead(p);
}

int breaks_not_marked(void) {
    int n;
    for (n = 0; n < 5; n += 4) {
        request.code = n;
        DispatchRead(&request);
    }
    return 0;
}
