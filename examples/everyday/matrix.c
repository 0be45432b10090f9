//@ verdict: SAFE --check all
// Reads a matrix of three rows and three columns, adds it to its transpose, and prints the sum and
// its trace. The sum is symmetric.
#include <assert.h>
#include <stdio.h>

#define N 3
#define LARGEST 10000

static void transpose(int from[N][N], int to[N][N]) {
    int i, j;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            to[j][i] = from[i][j];
}

static void add(int a[N][N], int b[N][N], int sum[N][N]) {
    int i, j;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            sum[i][j] = a[i][j] + b[i][j];
}

int main(void) {
    int a[N][N], t[N][N], s[N][N];
    int i, j, trace = 0;

    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            if (scanf("%d", &a[i][j]) != 1) {
                fprintf(stderr, "expected %d numbers\n", N * N);
                return 1;
            }
            if (a[i][j] < -LARGEST || a[i][j] > LARGEST) {
                fprintf(stderr, "%d is too large\n", a[i][j]);
                return 1;
            }
        }
    }
    transpose(a, t);
    add(a, t, s);
    for (i = 0; i < N; i++) {
        for (j = 0; j < N; j++) {
            assert(s[i][j] == s[j][i]);
            printf("%7d", s[i][j]);
        }
        putchar('\n');
        trace += s[i][i];
    }
    assert(trace % 2 == 0);
    printf("trace %d\n", trace);
    return 0;
}
