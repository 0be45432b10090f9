//@ verdict: SAFE --check all
// Writes a number from 1 to 3999 in Roman numerals, and reads it back: "roman 1987" prints
// MCMLXXXVII.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define LONGEST 15

static const int values[13] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
static const char *const signs[13] = {"M",  "CM", "D",  "CD", "C",  "XC", "L",
                                      "XL", "X",  "IX", "V",  "IV", "I"};

static int to_roman(int n, char *out) {
    int length = 0, i;
    const char *s;
    for (i = 0; i < 13; i++) {
        while (n >= values[i]) {
            for (s = signs[i]; *s != '\0'; s++)
                out[length++] = *s;
            n -= values[i];
        }
    }
    out[length] = '\0';
    return length;
}

static int value_of(char c) {
    switch (c) {
    case 'M': return 1000;
    case 'D': return 500;
    case 'C': return 100;
    case 'L': return 50;
    case 'X': return 10;
    case 'V': return 5;
    case 'I': return 1;
    default: return 0;
    }
}

static int from_roman(const char *s) {
    int sum = 0;
    for (; *s != '\0'; s++) {
        int here = value_of(s[0]);
        if (here < value_of(s[1]))
            sum -= here;
        else
            sum += here;
    }
    return sum;
}

int main(int argc, char **argv) {
    char text[LONGEST + 1];
    long n;
    int length;

    if (argc < 2) {
        fprintf(stderr, "usage: roman N\n");
        return 1;
    }
    n = strtol(argv[1], NULL, 10);
    if (n < 1 || n > 3999) {
        fprintf(stderr, "expected a number from 1 to 3999\n");
        return 1;
    }
    length = to_roman((int)n, text);
    assert(length <= LONGEST);
    assert(from_roman(text) == n);
    puts(text);
    return 0;
}
