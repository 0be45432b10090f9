//@ verdict: UNSAFE --check free
// An inventory of up to ten articles: "a NAME COUNT" adds one, "r INDEX" removes one, the end of
// the input lists the rest.
// Bug: line 37 frees the name but keeps the pointer, so that the end frees it again.
// Input: args [], stdin "a nails 200\nr 0\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 10

struct article {
    char *name;
    int count;
};

static struct article stock[MAX];
static int articles;

static int add(const char *name, int count) {
    char *copy;
    if (articles == MAX || count <= 0)
        return 0;
    copy = malloc(strlen(name) + 1);
    if (copy == NULL)
        return 0;
    strcpy(copy, name);
    stock[articles].name = copy;
    stock[articles].count = count;
    articles++;
    return 1;
}

static int take_out(int index) {
    if (index < 0 || index >= articles || stock[index].count == 0)
        return 0;
    free(stock[index].name);
    stock[index].count = 0;
    return 1;
}

int main(void) {
    char command, name[32];
    int number, i, ok;

    while (scanf(" %c", &command) == 1) {
        if (command == 'a' && scanf("%31s %d", name, &number) == 2)
            ok = add(name, number);
        else if (command == 'r' && scanf("%d", &number) == 1)
            ok = take_out(number);
        else
            ok = 0;
        if (!ok)
            puts("not possible");
    }
    for (i = 0; i < articles; i++)
        if (stock[i].count > 0)
            printf("%6d %s\n", stock[i].count, stock[i].name);
    for (i = 0; i < articles; i++)
        free(stock[i].name);
    return 0;
}
