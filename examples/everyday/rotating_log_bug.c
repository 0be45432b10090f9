//@ verdict: UNSAFE --check null
// Appends the lines of standard input to a log, and starts a new one after every ten lines; the
// old one is kept as FILE.old.
// Bug: line 33 writes without a look whether the new log could be opened.
// Input: args [no-such-folder/log], stdin "started\n"
#include <stdio.h>

#define LINES 10

static FILE *rotate(FILE *log, const char *name) {
    char old[256];
    if (log != NULL)
        fclose(log);
    if (snprintf(old, sizeof old, "%s.old", name) < (int)sizeof old)
        rename(name, old);
    return fopen(name, "w");
}

int main(int argc, char **argv) {
    char line[128];
    FILE *log = NULL;
    int lines = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: rotating_log FILE\n");
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (log == NULL || lines == LINES) {
            log = rotate(log, argv[1]);
            lines = 0;
        }
        fputs(line, log);
        lines++;
    }
    if (log != NULL)
        fclose(log);
    return 0;
}
