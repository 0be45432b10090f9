//@ verdict: SAFE
// The partition loop of quicksort: both indices stay inside the part that is sorted, and that inside the array.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int data[256];

int split(int n, int lo, int hi) {
    int pivot = data[lo];
    int i = lo;
    int j = hi;
    while (i < j) {
        while (i < j && data[i] <= pivot)
            i = i + 1;
        while (i < j && data[j] > pivot)
            j = j - 1;
    MARK:
        assert(lo <= i && j <= hi && 0 <= i && i < n && 0 <= j && j < n);
        int held = data[i];
        data[i] = data[j];
        data[j] = held;
    }
    return i;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int lo = __VERIFIER_nondet_int();
    int hi = __VERIFIER_nondet_int();
    if (n < 1 || n > 256 || lo < 0 || hi < lo || hi >= n)
        return 1;
    for (int k = 0; k < n; k++)
        data[k] = __VERIFIER_nondet_int();
    return split(n, lo, hi) > n;
}
