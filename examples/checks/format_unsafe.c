//@ verdict: UNSAFE --check format
// A size is printed as an int, where there is something to print.
#include <stdio.h>
#include <string.h>

int main(void) {
    char name[16];
    if (scanf("%15s", name) != 1)
        return 1;
    if (name[0] == 'x')
        printf("%s has %d characters\n", name, strlen(name));
    return 0;
}
