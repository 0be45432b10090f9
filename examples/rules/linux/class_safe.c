/* Keeps the rule linux/class. */
struct class_interface;
int class_interface_register(struct class_interface *interface);
void class_interface_unregister(struct class_interface *interface);
int add_device(void);
extern struct class_interface *interface;

int main(void) {
    int status = class_interface_register(interface);
    if (status < 0)
        return 1;
    add_device();
    class_interface_unregister(interface);
    return 0;
}
