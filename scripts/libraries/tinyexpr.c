#include "tinyexpr.h"

char __VERIFIER_nondet_char(void);

int main(void) {
    char text[6];
    int error;
    for (int i = 0; i < 5; i++)
        text[i] = __VERIFIER_nondet_char();
    text[5] = 0;
    te_expr *expression = te_compile(text, 0, 0, &error);
    if (expression)
        te_free(expression);
    return 0;
}
