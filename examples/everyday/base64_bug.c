//@ verdict: UNSAFE --check leak
// Decodes the base64 text on the command line to standard output.
// Bug: line 31 returns without freeing the buffer when the text has a wrong character.
// Input: args [aGVs!G8h]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

static unsigned char *decode(const char *text, size_t *length) {
    size_t i, n = strlen(text), used = 0;
    unsigned bits = 0;
    int held = 0;
    unsigned char *out = malloc(n + 1);
    if (out == NULL)
        return NULL;
    for (i = 0; i < n && text[i] != '='; i++) {
        int v = value_of(text[i]);
        if (v < 0)
            return NULL;
        bits = (bits << 6 | (unsigned)v) & 0xffffff;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[used++] = (unsigned char)(bits >> held);
        }
    }
    *length = used;
    return out;
}

int main(int argc, char **argv) {
    size_t length;
    unsigned char *bytes;

    if (argc != 2) {
        fprintf(stderr, "usage: base64 TEXT\n");
        return 1;
    }
    bytes = decode(argv[1], &length);
    if (bytes == NULL) {
        fprintf(stderr, "this is not base64\n");
        return 1;
    }
    fwrite(bytes, 1, length, stdout);
    putchar('\n');
    free(bytes);
    return 0;
}
