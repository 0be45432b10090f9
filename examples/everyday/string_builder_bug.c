//@ verdict: UNSAFE --check bounds
// Joins the arguments with commas in a string on the heap and prints it.
// Bug: line 26 gives back the text without room for a NUL, and without NUL.
// Input: args [one two]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(int n, char **words) {
    size_t total = 0, used = 0, length;
    int i;
    char *text;

    for (i = 0; i < n; i++)
        total += strlen(words[i]) + (i > 0);
    text = malloc(total);
    if (text == NULL)
        return NULL;
    for (i = 0; i < n; i++) {
        if (i > 0)
            text[used++] = ',';
        length = strlen(words[i]);
        memcpy(text + used, words[i], length);
        used += length;
    }
    return text;
}

int main(int argc, char **argv) {
    char *text;

    if (argc < 2) {
        fprintf(stderr, "usage: string_builder WORD ...\n");
        return 1;
    }
    text = join(argc - 1, argv + 1);
    if (text == NULL) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    printf("%s\n", text);
    free(text);
    return 0;
}
