//@ verdict: UNSAFE --check uninit
// The loop leaves the last element out, and the sum reads it.
extern int __VERIFIER_nondet_int(void);

static void zeros(int *a, int n) {
    for (int i = 0; i < n - 1; i++)
        a[i] = 0;
}

int main(void) {
    int table[100];
    int sum = 0;
    int n = __VERIFIER_nondet_int();

    if (n < 1 || n > 100)
        return 0;
    zeros(table, n);
    for (int i = 0; i < n; i++)
        sum |= table[i];
    return sum;
}
