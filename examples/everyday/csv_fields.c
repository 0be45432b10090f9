//@ verdict: SAFE --check all
// Prints one column of a file with fields between commas: "csv_fields FILE COLUMN". Lines have at
// most eight fields; those behind stay in the last.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8

static int split(char *line, char *fields[FIELDS]) {
    int n = 0;
    char *p = line;
    fields[n++] = p;
    while (n < FIELDS && (p = strchr(p, ',')) != NULL) {
        *p = '\0';
        p++;
        fields[n++] = p;
    }
    return n;
}

int main(int argc, char **argv) {
    char line[256];
    char *fields[FIELDS];
    FILE *in;
    long column;

    if (argc != 3) {
        fprintf(stderr, "usage: csv_fields FILE COLUMN\n");
        return 1;
    }
    column = strtol(argv[2], NULL, 10);
    if (column < 1 || column > FIELDS) {
        fprintf(stderr, "the column is a number from 1 to %d\n", FIELDS);
        return 1;
    }
    in = fopen(argv[1], "r");
    if (in == NULL) {
        perror(argv[1]);
        return 1;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        int n;
        line[strcspn(line, "\n")] = '\0';
        n = split(line, fields);
        assert(n >= 1 && n <= FIELDS);
        if (column <= n)
            puts(fields[column - 1]);
        else
            puts("");
    }
    fclose(in);
    return 0;
}
