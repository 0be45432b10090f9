/* posix/mkstemp: temporary files. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int failed(void);

struct draft { char name[16]; int file; };

static int make(struct draft *d) {
    strcpy(d->name, "draftXXXXXX");
    d->file = mkstemp(d->name);
    return d->file;
}

int keeps_name_in_a_structure(void) {
    struct draft d, *p = &d;
    if (make(p) < 0)
        return 1;
    unlink(d.name);
    return 0;
}

int breaks_unlinked_first(void) {
    struct draft d = {"draftXXXXXX", 0}, *p = &d;
    unlink(p->name);
    return mkstemp(d.name) < 0;
}

int keeps_name_used_again(void) {
    struct draft d;
    int n;
    for (n = 0; n < 2; n++) {
        if (make(&d) < 0)
            return 1;
        unlink(d.name);
    }
    return 0;
}

int breaks_unlinked_twice(void) {
    struct draft d;
    char *name = d.name;
    int n;
    if (make(&d) < 0)
        return 1;
    for (n = 0; n < 2; n++)
        unlink(name);
    return 0;
}

int keeps_error_path(void) {
    struct draft d;
    if (make(&d) < 0)
        return 1;
    if (failed()) {
        unlink(d.name);
        return 2;
    }
    unlink(d.name);
    return 0;
}

int breaks_error_path(void) {
    struct draft d;
    int result = 0;
    if (make(&d) < 0)
        return 1;
    if (failed()) {
        unlink(d.name);
        result = 2;
    }
    unlink(d.name);
    return result;
}
