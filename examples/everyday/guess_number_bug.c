//@ verdict: UNSAFE --check overflow
// Guesses the number that the user thinks of, between two bounds: the answers are <, > and =.
// Bug: line 16 adds the bounds for the middle, which overflows when both are large.
// Input: args [], stdin "2000000000 2100000000 <=\n"
#include <stdio.h>

int main(void) {
    int low, high, middle, guesses = 0;
    char answer;

    if (scanf("%d %d", &low, &high) != 2 || low < 0 || low > high) {
        fprintf(stderr, "expected two bounds, the smaller one first\n");
        return 1;
    }
    for (;;) {
        middle = (low + high) / 2;
        guesses++;
        printf("%d? ", middle);
        if (scanf(" %c", &answer) != 1 || answer == '=')
            break;
        if (low == high) {
            puts("then there is no such number");
            return 1;
        }
        if (answer == '<' && middle > low)
            high = middle - 1;
        else if (answer == '>' && middle < high)
            low = middle + 1;
        else
            break;
    }
    printf("%d guesses\n", guesses);
    return 0;
}
