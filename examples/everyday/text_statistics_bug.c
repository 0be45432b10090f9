//@ verdict: UNSAFE --check bounds
// Counts the characters of standard input and prints those that come most often.
// Bug: line 12 uses a char as index, which is negative for letters beyond ASCII.
// Input: args [], stdin "caf\351 au lait\n"
#include <stdio.h>

static unsigned counts[256];

static void count_line(const char *line) {
    const char *p;
    for (p = line; *p != '\0'; p++)
        counts[(int)*p]++;
}

static int most_frequent(void) {
    int c, best = 0;
    for (c = 1; c < 256; c++)
        if (counts[c] > counts[best])
            best = c;
    return best;
}

int main(void) {
    char line[200];
    int i;

    while (fgets(line, sizeof line, stdin) != NULL)
        count_line(line);
    for (i = 0; i < 5; i++) {
        int c = most_frequent();
        if (counts[c] == 0)
            break;
        printf("character %d: %u times\n", c, counts[c]);
        counts[c] = 0;
    }
    return 0;
}
