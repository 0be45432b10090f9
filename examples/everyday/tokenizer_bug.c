//@ verdict: UNSAFE --check bounds
// Splits lines into names, numbers and signs, and prints one a line.
// Bug: line 24 copies the digits of a number without a look at the room in the buffer.
// Input: args [], stdin "x1 = 12345678901234567890\n"
#include <ctype.h>
#include <stdio.h>

#define LONGEST 16

static const char *next_token(const char *p, char token[LONGEST]) {
    int n = 0;
    while (isspace((unsigned char)*p))
        p++;
    if (*p == '\0')
        return NULL;
    if (isalpha((unsigned char)*p)) {
        while (isalnum((unsigned char)*p)) {
            if (n < LONGEST - 1)
                token[n++] = *p;
            p++;
        }
    } else if (isdigit((unsigned char)*p)) {
        while (isdigit((unsigned char)*p))
            token[n++] = *p++;
    } else {
        token[n++] = *p++;
    }
    token[n] = '\0';
    return p;
}

int main(void) {
    char line[100], token[LONGEST];
    const char *p;

    while (fgets(line, sizeof line, stdin) != NULL) {
        p = line;
        while ((p = next_token(p, token)) != NULL)
            printf("[%s]\n", token);
    }
    return 0;
}
