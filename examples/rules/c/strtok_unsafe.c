/* Breaks the rule c/strtok. */
#include <string.h>

int main(void) {
    char first[] = "a b", second[] = "c";
    int words = 0;
    char *word, *inner;
    for (word = strtok(first, " "); word != NULL; word = strtok(NULL, " "))
        for (inner = strtok(second, " "); inner != NULL; inner = strtok(NULL, " "))
            words++;
    return words;
}
