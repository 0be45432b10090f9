//@ verdict: UNSAFE --check div0
// Prints a table of degrees Celsius and Fahrenheit: "temperature_table FROM TO STEP".
// Bug: line 30 divides by the step, which may be 0.
// Input: args [0 100 0]
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 10000L

static int number(const char *text, int *out) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < -LARGEST || value > LARGEST)
        return 0;
    *out = (int)value;
    return 1;
}

int main(int argc, char **argv) {
    int from, to, step, rows, i;

    if (argc != 4) {
        fprintf(stderr, "usage: temperature_table FROM TO STEP\n");
        return 1;
    }
    if (!number(argv[1], &from) || !number(argv[2], &to) || !number(argv[3], &step)) {
        fprintf(stderr, "expected three numbers up to %ld\n", LARGEST);
        return 1;
    }
    rows = (to - from) / step + 1;
    for (i = 0; i < rows; i++) {
        int celsius = from + i * step;
        printf("%6d %6d\n", celsius, celsius * 9 / 5 + 32);
    }
    return 0;
}
