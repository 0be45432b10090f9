//@ verdict: UNSAFE --check uninit
// Groups people 1 to N by pairs of friends: N stands first in the input, then the pairs. Prints
// the number of groups.
// Bug: line 24 leaves the last person without a representative.
// Input: args [], stdin "3\n1 3\n"
#include <stdio.h>

#define PEOPLE 100

static int find(int *parent, int x) {
    while (parent[x] != x)
        x = parent[x];
    return x;
}

int main(void) {
    int parent[PEOPLE + 1];
    int n, groups, a, b, i;

    if (scanf("%d", &n) != 1 || n < 1 || n > PEOPLE) {
        fprintf(stderr, "expected a number of people up to %d\n", PEOPLE);
        return 1;
    }
    for (i = 1; i < n; i++)
        parent[i] = i;
    groups = n;
    while (scanf("%d %d", &a, &b) == 2) {
        if (a < 1 || a > n || b < 1 || b > n) {
            puts("there is nobody of this number");
            continue;
        }
        a = find(parent, a);
        b = find(parent, b);
        if (a != b) {
            parent[a] = b;
            groups--;
        }
    }
    printf("%d groups\n", groups);
    return 0;
}
