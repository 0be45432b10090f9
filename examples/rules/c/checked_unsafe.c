/* Breaks the rule c/checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *copy = malloc(16);
    memset(copy, 0, 16);
    free(copy);
    return 0;
}
