/* Keeps the rule c/checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *copy = malloc(16);
    int n;
    if (copy == NULL)
        return 1;
    memset(copy, 0, 16);
    free(copy);
    while (scanf("%d", &n) == 1)
        printf("%d\n", n);
    return 0;
}
