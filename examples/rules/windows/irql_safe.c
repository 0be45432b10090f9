/* Keeps the rule windows/irql. */
typedef unsigned char KIRQL;
void KeRaiseIrql(KIRQL level, KIRQL *old);
void KeLowerIrql(KIRQL level);
long ZwClose(void *handle);
extern void *handle;
int counter;

int main(void) {
    KIRQL old;
    ZwClose(handle);
    KeRaiseIrql(2, &old);
    counter++;
    KeLowerIrql(old);
    return 0;
}
