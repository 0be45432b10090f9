//@ verdict: UNSAFE --check file
// The file is closed a second time at the end.
#include <stdio.h>

int main(void) {
    FILE *log = fopen("log.txt", "w");
    if (!log)
        return 1;
    int lines = 0, c;
    while ((c = getchar()) != EOF && lines < 100) {
        fputc(c, log);
        if (c == '\n')
            lines++;
    }
    if (lines == 0)
        fclose(log);
    else
        fprintf(log, "%d lines\n", lines);
    fclose(log);
    return 0;
}
