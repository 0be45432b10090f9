/* Keeps the rule c/file. */
#include <stdio.h>

int count_lines(const char *name) {
    FILE *f = fopen(name, "r");
    int c, lines = 0;
    if (f == NULL)
        return -1;
    while ((c = fgetc(f)) != EOF)
        if (c == '\n')
            lines++;
    fclose(f);
    return lines;
}

int main(void) {
    int a = count_lines("first"), b = count_lines("second");
    return a == b;
}
