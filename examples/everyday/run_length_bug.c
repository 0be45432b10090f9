//@ verdict: UNSAFE --check bounds
// Unpacks lines in run-length coding: "3a2b" becomes "aaabb". Counts have up to two digits, and
// the text is cut after 32 characters.
// Bug: line 28 compares with <=, which leaves no room for the NUL.
// Input: args [], stdin "40x\n"
#include <stdio.h>

#define ROOM 32

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void unpack(const char *packed, char out[ROOM]) {
    int used = 0;
    while (*packed != '\0' && *packed != '\n') {
        int count = 1, i;
        char c;
        if (is_digit(*packed)) {
            count = *packed++ - '0';
            if (is_digit(*packed))
                count = count * 10 + (*packed++ - '0');
        }
        c = *packed;
        if (c == '\0')
            break;
        packed++;
        for (i = 0; i < count && used + 1 <= ROOM; i++)
            out[used++] = c;
    }
    out[used] = '\0';
}

int main(void) {
    char line[64], text[ROOM];

    while (fgets(line, sizeof line, stdin) != NULL) {
        unpack(line, text);
        puts(text);
    }
    return 0;
}
