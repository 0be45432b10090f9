/* Keeps the rule c/strtok. */
#include <string.h>

int main(void) {
    char line[] = "a";
    int words = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
        words++;
    return words;
}
