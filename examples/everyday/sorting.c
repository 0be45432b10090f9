//@ verdict: SAFE --check all
// Sorts up to 32 numbers from standard input with insertion sort and prints them, smallest first,
// with the median.
#include <assert.h>
#include <stdio.h>

#define MAX 32

static void insertion_sort(int *a, int n) {
    int i, j;
    for (i = 1; i < n; i++) {
        int value = a[i];
        for (j = i; j > 0 && a[j - 1] > value; j--)
            a[j] = a[j - 1];
        a[j] = value;
    }
}

int main(void) {
    int numbers[MAX];
    int n = 0, i, x;

    while (n < MAX && scanf("%d", &x) == 1)
        numbers[n++] = x;
    if (n == 0) {
        puts("no numbers");
        return 0;
    }
    insertion_sort(numbers, n);
    for (i = 1; i < n; i++)
        assert(numbers[i - 1] <= numbers[i]);
    for (i = 0; i < n; i++)
        printf("%d\n", numbers[i]);
    printf("median: %d\n", numbers[n / 2]);
    return 0;
}
