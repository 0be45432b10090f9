//@ verdict: UNSAFE --check uninit
// Computes lines such as "3 + 4", with numbers up to 10000.
// Bug: line 37 prints a result that was never computed when the operator is another one.
// Input: args [], stdin "7 % 2\n"
#include <stdio.h>

static int in_range(int x) {
    return x >= -10000 && x <= 10000;
}

int main(void) {
    int a, b, result;
    char operator;

    if (scanf("%d %c %d", &a, &operator, &b) != 3 || !in_range(a) || !in_range(b)) {
        fprintf(stderr, "usage: NUMBER OPERATOR NUMBER\n");
        return 1;
    }
    switch (operator) {
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '*':
        result = a * b;
        break;
    case '/':
        if (b == 0) {
            fprintf(stderr, "division by zero\n");
            return 1;
        }
        result = a / b;
        break;
    }
    printf("%d\n", result);
    return 0;
}
