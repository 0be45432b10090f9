/* linux/module: references to modules. */
struct module { int count; };
_Bool try_module_get(struct module *module);
void module_put(struct module *module);
void __module_get(struct module *module);
int attach(void);

struct module own;
struct user { struct module *of; } users[2];

int keeps_pointers_in_a_table(void) {
    int n;
    for (n = 0; n < 2; n++) {
        users[n].of = &own;
        __module_get(users[n].of);
    }
    for (n = 0; n < 2; n++)
        module_put(users[n].of);
    return 0;
}

int breaks_pointers_in_a_table(void) {
    int n;
    for (n = 0; n < 2; n++) {
        users[n].of = n ? &own : 0;
        __module_get(users[n].of);
    }
    users[0].of = users[1].of;
    for (n = 0; n < 2; n++)
        module_put(users[n].of);
    return 0;
}

int keeps_alias(void) {
    struct module *a = &own, **b = &a;
    if (try_module_get(*b))
        module_put(a);
    return 0;
}

int breaks_failed_attempt(void) {
    struct module *a = &own;
    if (!try_module_get(a))
        module_put(a);
    else
        module_put(&own);
    return 0;
}

int keeps_error_path(void) {
    if (!try_module_get(&own))
        return 1;
    if (attach() < 0)
        goto failed;
    module_put(&own);
    return 0;
failed:
    module_put(&own);
    return 2;
}

int breaks_error_path(void) {
    if (!try_module_get(&own))
        return 1;
    if (attach() < 0)
        return 2;
    module_put(&own);
    return 0;
}
