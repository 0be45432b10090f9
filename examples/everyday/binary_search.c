//@ verdict: SAFE --check all
// Reads up to 64 ascending numbers behind their count, then looks up keys by binary search until
// the input ends.
#include <assert.h>
#include <stdio.h>

#define MAX 64

static int find(const int *values, int n, int key) {
    int low = 0, high = n - 1;
    while (low <= high) {
        int mid = low + (high - low) / 2;
        if (values[mid] == key)
            return mid;
        if (values[mid] < key)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

int main(void) {
    int values[MAX];
    int n, i, key;

    if (scanf("%d", &n) != 1 || n < 0 || n > MAX) {
        fprintf(stderr, "expected a count of at most %d\n", MAX);
        return 1;
    }
    for (i = 0; i < n; i++) {
        if (scanf("%d", &values[i]) != 1) {
            fprintf(stderr, "expected %d numbers\n", n);
            return 1;
        }
        if (i > 0 && values[i] < values[i - 1]) {
            fprintf(stderr, "the numbers must ascend\n");
            return 1;
        }
    }
    while (scanf("%d", &key) == 1) {
        int place = find(values, n, key);
        assert(place >= -1 && place < n);
        if (place >= 0) {
            assert(values[place] == key);
            printf("%d is number %d\n", key, place + 1);
        } else {
            printf("%d is not there\n", key);
        }
    }
    return 0;
}
