/* posix/chroot: chroot and chdir. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>

int more(void);
struct jail { const char *root, *inside; } jail = {"/srv", "/"};

static int enter(const struct jail *j) {
    if (chroot(j->root) != 0)
        return -1;
    return chdir(j->inside);
}

int keeps_paths_by_pointer(void) {
    const struct jail *j = &jail;
    if (enter(j) != 0)
        _exit(1);
    unlink("old");
    return 0;
}

int breaks_result_is_not_looked_at(void) {
    enter(&jail);
    unlink("old");
    return 0;
}

int keeps_loop(void) {
    while (more())
        if (chroot(jail.root) == 0 && chdir(jail.inside) != 0)
            _exit(1);
    unlink("old");
    return 0;
}

int breaks_second_turn(void) {
    int n;
    for (n = 0; n < 2; n++) {
        if (chroot(jail.root) != 0)
            return 1;
        if (n == 0 && chdir("/") != 0)
            _exit(1);
    }
    return 0;
}

int keeps_error_path(void) {
    const char *root = jail.root;
    if (chroot(root) != 0) {
        FILE *f = fopen("errors", "w");
        if (f)
            fclose(f);
        return 1;
    }
    if (chdir("/") != 0)
        _exit(2);
    return 0;
}

int breaks_error_path(void) {
    if (chroot(jail.root) != 0)
        return 1;
    if (chdir("/") != 0)
        return 2;
    return 0;
}
