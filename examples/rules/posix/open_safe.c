/* Keeps the rule posix/open. */
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    char buffer[8];
    int file = open("input", O_RDONLY);
    if (file < 0)
        return 1;
    read(file, buffer, sizeof buffer);
    close(file);
    return 0;
}
