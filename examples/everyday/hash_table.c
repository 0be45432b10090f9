//@ verdict: SAFE --check all
// Counts how often each word comes in standard input, with a hash table of chains. Words longer
// than 31 characters are cut in pieces.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64
#define WORD 32

struct entry {
    char word[WORD];
    unsigned count;
    struct entry *next;
};

static struct entry *table[BUCKETS];

static unsigned hash(const char *s) {
    unsigned h = 5381;
    for (; *s != '\0'; s++)
        h = h * 33 + (unsigned char)*s;
    return h % BUCKETS;
}

static struct entry *lookup(const char *word) {
    unsigned h = hash(word);
    struct entry *e;
    for (e = table[h]; e != NULL; e = e->next)
        if (strcmp(e->word, word) == 0)
            return e;
    e = malloc(sizeof *e);
    if (e == NULL)
        return NULL;
    strcpy(e->word, word);
    e->count = 0;
    e->next = table[h];
    table[h] = e;
    return e;
}

static void free_table(void) {
    int i;
    for (i = 0; i < BUCKETS; i++) {
        while (table[i] != NULL) {
            struct entry *e = table[i];
            table[i] = e->next;
            free(e);
        }
    }
}

int main(void) {
    char word[WORD];
    struct entry *e;
    int i;

    while (scanf("%31s", word) == 1) {
        e = lookup(word);
        if (e == NULL) {
            fprintf(stderr, "out of memory\n");
            free_table();
            return 1;
        }
        e->count++;
    }
    for (i = 0; i < BUCKETS; i++)
        for (e = table[i]; e != NULL; e = e->next)
            printf("%6u %s\n", e->count, e->word);
    free_table();
    return 0;
}
