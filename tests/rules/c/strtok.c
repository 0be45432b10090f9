/* c/strtok: words of strings. */
#include <string.h>

struct line { char text[8]; };

static char *rest(void) {
    return strtok(NULL, " ");
}

int keeps_loop_over_words(void) {
    char line[] = "a";
    int n = 0;
    char *word;
    for (word = strtok(line, " "); word; word = strtok(NULL, " "))
        n++;
    return n;
}

int breaks_after_the_last_word(void) {
    char line[] = "a b";
    char *word = strtok(line, " ");
    while (word)
        word = rest();
    word = rest();
    return word != NULL;
}

int keeps_strings_one_after_the_other(void) {
    struct line one = {"a"}, two = {""}, *p = &one;
    if (strtok(p->text, " ") && rest())
        return 1;
    p = &two;
    return strtok(p->text, " ") != NULL;
}

int breaks_string_in_a_string(void) {
    struct line one = {"a b"}, two = {"c d"}, *p = &two;
    char *word = strtok(one.text, " ");
    if (word)
        strtok(p->text, " ");
    return 0;
}

int keeps_word_by_another_name(void) {
    char line[] = "a", *p = line, *empty = NULL;
    if (strtok(p, " "))
        strtok(empty, " ");
    return 0;
}

int breaks_nothing_begun(void) {
    char *p = NULL;
    return strtok(p, " ") != NULL;
}
