//@ verdict: UNSAFE --check free
// Reads numbers into a stack made of nodes, and prints how many there are and the largest.
// Bug: line 20 reads the next pointer of a node that was freed.
// Input: args [], stdin "4 8\n"
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static void free_node(struct node *n) {
    n->value = 0;
    free(n);
}

static void free_list(struct node *head) {
    struct node *n;
    for (n = head; n != NULL; n = n->next)
        free_node(n);
}

int main(void) {
    struct node *head = NULL;
    int value, largest, count = 0;

    while (count < 100 && scanf("%d", &value) == 1) {
        struct node *n = malloc(sizeof *n);
        if (n == NULL)
            break;
        n->value = value;
        n->next = head;
        head = n;
        count++;
    }
    if (head != NULL) {
        struct node *n;
        largest = head->value;
        for (n = head->next; n != NULL; n = n->next)
            if (n->value > largest)
                largest = n->value;
        printf("%d numbers, the largest is %d\n", count, largest);
    }
    free_list(head);
    return 0;
}
