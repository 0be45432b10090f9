//@ verdict: SAFE --check all
// Computes arithmetic expressions, one a line: numbers, + - * /, brackets and the sign. Results
// beyond a thousand million, division by zero and wrong text are told as errors.
#include <stdio.h>

#define LIMIT 1000000000LL

static const char *at;
static const char *error;

static long long expression(void);

static void skip_blanks(void) {
    while (*at == ' ' || *at == '\t')
        at++;
}

static long long checked(long long value) {
    if (value > LIMIT || value < -LIMIT) {
        error = "too large";
        return 0;
    }
    return value;
}

static long long factor(void) {
    long long value = 0;
    skip_blanks();
    if (*at == '-') {
        at++;
        return -factor();
    }
    if (*at == '(') {
        at++;
        value = expression();
        skip_blanks();
        if (*at == ')')
            at++;
        else
            error = "expected )";
        return value;
    }
    if (*at < '0' || *at > '9') {
        error = "expected a number";
        return 0;
    }
    while (*at >= '0' && *at <= '9') {
        value = checked(value * 10 + (*at - '0'));
        at++;
    }
    return value;
}

static long long term(void) {
    long long value = factor();
    for (;;) {
        skip_blanks();
        if (*at == '*') {
            at++;
            value = checked(value * factor());
        } else if (*at == '/') {
            at++;
            long long divisor = factor();
            if (divisor == 0)
                error = "division by zero";
            else
                value /= divisor;
        } else {
            return value;
        }
    }
}

static long long expression(void) {
    long long value = term();
    for (;;) {
        skip_blanks();
        if (*at == '+') {
            at++;
            value = checked(value + term());
        } else if (*at == '-') {
            at++;
            value = checked(value - term());
        } else {
            return value;
        }
    }
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        long long value;
        at = line;
        error = NULL;
        value = expression();
        if (error == NULL && *at != '\n' && *at != '\0')
            error = "something follows the expression";
        if (error != NULL)
            printf("error: %s\n", error);
        else
            printf("%lld\n", value);
    }
    return 0;
}
