/* Breaks the rule posix/chroot. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (chroot("/srv") != 0)
        return 1;
    FILE *f = fopen("settings", "r"); /* one of the old root's */
    if (f != NULL)
        fclose(f);
    return chdir("/");
}
