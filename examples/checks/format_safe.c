//@ verdict: SAFE --check format
// Formats with arguments of the right types, among them a choice of two.
#include <stdio.h>
#include <string.h>

int main(void) {
    int count;
    double sum = 0.0;
    char name[16];
    if (scanf("%d %15s", &count, name) != 2)
        return 1;
    printf("%s: %d of %zu\n", name, count, strlen(name));
    printf(count == 1 ? "%d line\n" : "%d lines\n", count);
    fprintf(stderr, "%*.*f%%\n", 8, 2, sum);
    return 0;
}
