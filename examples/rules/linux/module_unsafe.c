/* Breaks the rule linux/module. */
#include <stdbool.h>

struct module;
bool try_module_get(struct module *module);
void module_put(struct module *module);
int start(void);
extern struct module *owner;

int main(void) {
    struct module *self = owner;
    if (!try_module_get(self))
        return 1;
    int status = start();
    if (status != 0)
        return status; /* the reference is left */
    module_put(self);
    return 0;
}
