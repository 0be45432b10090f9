/* Keeps the rule posix/mkstemp. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/draftXXXXXX";
    int file = mkstemp(name);
    if (file < 0)
        return 1;
    unlink(name);
    return 0;
}
