//@ verdict: SAFE --check all
// Reads numbers into a linked list (at most 1000), reverses the list in place, prints it, and
// gives everything back.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL)
        return NULL;
    n->value = value;
    n->next = head;
    return n;
}

static struct node *reverse(struct node *head) {
    struct node *done = NULL;
    while (head != NULL) {
        struct node *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}

static int length(const struct node *head) {
    int n = 0;
    for (; head != NULL; head = head->next)
        n++;
    return n;
}

static void free_list(struct node *head) {
    while (head != NULL) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
}

int main(void) {
    struct node *head = NULL, *n;
    int count = 0, value;

    while (count < 1000 && scanf("%d", &value) == 1) {
        n = push(head, value);
        if (n == NULL) {
            fprintf(stderr, "out of memory\n");
            free_list(head);
            return 1;
        }
        head = n;
        count++;
    }
    head = reverse(head);
    assert(length(head) == count);
    for (n = head; n != NULL; n = n->next)
        printf("%d\n", n->value);
    free_list(head);
    return 0;
}
