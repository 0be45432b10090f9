//@ verdict: UNSAFE --check overflow
// Reads the points of up to 20 students and prints the mean and how many are above it.
// Bug: line 12 adds the points in an int, and points have no upper bound.
// Input: args [], stdin "2000000000 2000000000\n"
#include <stdio.h>

#define STUDENTS 20

static int mean(const int *points, int n) {
    int i, sum = 0;
    for (i = 0; i < n; i++)
        sum += points[i];
    return sum / n;
}

int main(void) {
    int points[STUDENTS];
    int n = 0, above = 0, i, x, average;

    while (n < STUDENTS && scanf("%d", &x) == 1) {
        if (x < 0) {
            printf("%d left out\n", x);
            continue;
        }
        points[n++] = x;
    }
    if (n == 0) {
        puts("no students");
        return 0;
    }
    average = mean(points, n);
    for (i = 0; i < n; i++)
        if (points[i] > average)
            above++;
    printf("mean %d, %d of %d above\n", average, above, n);
    return 0;
}
