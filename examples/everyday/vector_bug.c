//@ verdict: UNSAFE --check null
// Reads a count of up to 1000 and so many numbers, and prints them backwards.
// Bug: line 13 uses what malloc gave without a look whether it is NULL.
// Input: args [], stdin "3 1 2 3\n", malloc fails
#include <stdio.h>
#include <stdlib.h>

static int read_numbers(int *numbers, int n) {
    int i, x;
    for (i = 0; i < n; i++) {
        if (scanf("%d", &x) != 1)
            return i;
        numbers[i] = x;
    }
    return n;
}

int main(void) {
    int n, i, *numbers;

    if (scanf("%d", &n) != 1 || n < 1 || n > 1000) {
        fprintf(stderr, "expected a count\n");
        return 1;
    }
    numbers = malloc((size_t)n * sizeof *numbers);
    n = read_numbers(numbers, n);
    for (i = n - 1; i >= 0; i--)
        printf("%d\n", numbers[i]);
    free(numbers);
    return 0;
}
