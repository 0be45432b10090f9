//@ verdict: SAFE --check all
// Prints the factorial of a number up to 60 in full, with a decimal digit in each element of an
// array. A product that does not fit is told.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS 100

struct number {
    int digit[DIGITS];
    int length;
};

static int multiply(struct number *n, int factor) {
    int carry = 0, i;
    for (i = 0; i < n->length; i++) {
        int product = n->digit[i] * factor + carry;
        n->digit[i] = product % 10;
        carry = product / 10;
        assert(n->digit[i] >= 0 && n->digit[i] <= 9);
    }
    while (carry > 0) {
        if (n->length == DIGITS)
            return 0;
        n->digit[n->length] = carry % 10;
        n->length++;
        carry /= 10;
    }
    return 1;
}

int main(int argc, char **argv) {
    struct number n;
    long wanted;
    int i;

    if (argc != 2) {
        fprintf(stderr, "usage: big_number N\n");
        return 1;
    }
    wanted = strtol(argv[1], NULL, 10);
    if (wanted < 0 || wanted > 60) {
        fprintf(stderr, "expected a number from 0 to 60\n");
        return 1;
    }
    n.digit[0] = 1;
    n.length = 1;
    for (i = 2; i <= wanted; i++) {
        if (!multiply(&n, i)) {
            fprintf(stderr, "too large\n");
            return 1;
        }
    }
    for (i = n.length - 1; i >= 0; i--)
        putchar('0' + n.digit[i]);
    putchar('\n');
    return 0;
}
