/* Keeps the rule posix/chroot. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (chroot("/srv") != 0 || chdir("/") != 0)
        _exit(1);
    FILE *f = fopen("settings", "r");
    if (f != NULL)
        fclose(f);
    return 0;
}
