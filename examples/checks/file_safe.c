//@ verdict: SAFE --check file
// Two files, each opened, tested and closed once on every way.
#include <stdio.h>

int main(void) {
    FILE *from = fopen("from.txt", "r");
    if (!from)
        return 1;
    FILE *to = fopen("to.txt", "w");
    if (!to) {
        fclose(from);
        return 1;
    }
    int c;
    while ((c = fgetc(from)) != EOF)
        fputc(c, to);
    fprintf(to, "\n");
    fclose(from);
    return fclose(to) == 0 ? 0 : 1;
}
