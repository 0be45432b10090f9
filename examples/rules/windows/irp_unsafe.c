/* Breaks the rule windows/irp. */
typedef struct irp IRP;
typedef struct device DEVICE_OBJECT;
void IoCompleteRequest(IRP *irp, char boost);
long IoCallDriver(DEVICE_OBJECT *device, IRP *irp);
void IoMarkIrpPending(IRP *irp);
int valid(IRP *irp);
extern DEVICE_OBJECT *lower;
extern IRP *request;

long DispatchRead(IRP *irp) {
    if (!valid(irp))
        IoCompleteRequest(irp, 0);
    return IoCallDriver(lower, irp);
}

int main(void) {
    DispatchRead(request);
    return 0;
}
