//@ verdict: SAFE
// Knuth, Morris and Pratt's search for a pattern: all indices lie inside their arrays. What the failure table holds
// would take a statement about all its entries; so what is read from it is not trusted.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

char pattern[64];
char text[4096];
int failure[64];

/* The length of the border to go on with when `matched` characters match, and the next does not. */
int shorter(int matched) {
    assert(0 < matched && matched <= 64);
    int border = failure[matched - 1];
    if (border < 0 || border >= matched)
        return 0;
    return border;
}

void prepare(int m) {
    int i = 1;
    int j = 0;
    failure[0] = 0;
    while (i < m) {
        assert(0 <= i && i < m && 0 <= j && j < i);
        if (pattern[i] == pattern[j]) {
            j = j + 1;
            failure[i] = j;
            i = i + 1;
        } else if (j > 0) {
            j = shorter(j);
        } else {
            failure[i] = 0;
            i = i + 1;
        }
    }
}

int search(int n, int m) {
    int i = 0;
    int j = 0;
    while (i < n) {
    MARK:
        assert(0 <= i && i < n && 0 <= j && j < m);
        if (text[i] == pattern[j]) {
            i = i + 1;
            j = j + 1;
            if (j == m)
                return i - m;
        } else if (j > 0) {
            j = shorter(j);
        } else {
            i = i + 1;
        }
    }
    return -1;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int m = __VERIFIER_nondet_int();
    if (m < 1 || m > 64 || n < 0 || n > 4096)
        return 1;
    for (int k = 0; k < m; k++)
        pattern[k] = __VERIFIER_nondet_char();
    for (int k = 0; k < n; k++)
        text[k] = __VERIFIER_nondet_char();
    prepare(m);
    return search(n, m) < 0;
}
