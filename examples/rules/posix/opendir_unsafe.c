/* Breaks the rule posix/opendir. */
#include <dirent.h>
#include <stddef.h>

int main(void) {
    DIR *here = opendir(".");
    if (here == NULL)
        return 1;
    closedir(here);
    return readdir(here) != NULL;
}
