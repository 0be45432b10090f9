/* Breaks the rule posix/mkstemp. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/draftXXXXXX";
    unlink(name);
    int file = mkstemp(name);
    return file < 0;
}
