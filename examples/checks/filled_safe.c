//@ verdict: SAFE --check all
// An array is filled by a loop in one function and read in another; a structure is initialised behind a pointer.
// Nothing here needs a predicate: bounds of integers decide all checks.
extern int __VERIFIER_nondet_int(void);

struct stack {
    int items[40];
    int top;
};

static void clear(struct stack *s) {
    s->top = 0;
}

static void push(struct stack *s, int item) {
    if (s->top < 40)
        s->items[s->top++] = item;
}

static void squares(int *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = i % 100 * (i % 100);
}

static int middle(const int *a, int n) {
    int low = 0, high = n - 1;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (a[mid] < 50)
            low = mid + 1;
        else
            high = mid;
    }
    return a[low];
}

int main(void) {
    struct stack s;
    int table[100];
    int n = __VERIFIER_nondet_int();

    if (n < 1 || n > 100)
        return 0;
    squares(table, n);
    clear(&s);
    push(&s, middle(table, n));
    push(&s, n % 7);
    return table[n / 2] > s.top;
}
