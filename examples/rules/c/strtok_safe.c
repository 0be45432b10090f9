/* Keeps the rule c/strtok. */
#include <string.h>

int main(void) {
    char line[] = "a b";
    char *word = strtok(line, " ");
    if (word != NULL)
        word = strtok(NULL, " ");
    return word == NULL;
}
