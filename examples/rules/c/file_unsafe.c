/* Breaks the rule c/file. */
#include <stdio.h>

int count_lines(const char *name) {
    FILE *f = fopen(name, "r");
    int c, lines = 0;
    if (f == NULL)
        return -1;
    while ((c = fgetc(f)) != EOF)
        if (c == '\n')
            lines++;
    if (lines == 0)
        return 0; /* the stream is still open */
    fclose(f);
    return lines;
}

int main(void) {
    int a = count_lines("first"), b = count_lines("second");
    return a == b;
}
