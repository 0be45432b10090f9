//@ verdict: UNSAFE --check bounds
// A calculator for expressions with the operator behind its operands: "3 4 + 2 -" prints 5.
// Numbers have up to six digits; results are cut to nine digits.
// Bug: line 25 takes from the stack without a look whether there is something.
// Input: args [], stdin "1 +\n"
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 20
#define LIMIT 1000000000L

static long stack[DEPTH];
static int depth;

static void push(long value) {
    if (depth == DEPTH) {
        fprintf(stderr, "too many numbers\n");
        exit(1);
    }
    stack[depth++] = value % LIMIT;
}

static long pop(void) {
    depth--;
    return stack[depth];
}

int main(void) {
    char word[7];
    long a, b;

    while (scanf("%6s", word) == 1) {
        switch (word[0]) {
        case '+':
            b = pop();
            a = pop();
            push(a + b);
            break;
        case '-':
            b = pop();
            a = pop();
            push(a - b);
            break;
        case '*':
            b = pop();
            a = pop();
            push(a * b);
            break;
        default:
            push(strtol(word, NULL, 10));
            break;
        }
    }
    while (depth > 0)
        printf("%ld\n", pop());
    return 0;
}
