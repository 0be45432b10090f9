/* A library without main: each function is checked by itself (docs/guide/entry.md). */
#include <stddef.h>

#define ROOM 8

struct stack {
    int items[ROOM];
    int top;
};

struct node {
    int value;
    struct node *next;
};

/* Right for every stack: one that was damaged is left alone. */
int push(struct stack *s, int item)
{
    if (s == NULL || s->top < 0 || s->top >= ROOM)
        return 0;
    s->items[s->top++] = item;
    return 1;
}

/* Wrong: an empty stack has nothing on top. */
int pop(struct stack *s)
{
    if (s == NULL)
        return 0;
    return s->items[--s->top];
}

/* Wrong for the empty list. */
int first(const struct node *list)
{
    return list->value;
}

int average(int sum, int count)
{
    return count > 0 ? sum / count : 0;
}
