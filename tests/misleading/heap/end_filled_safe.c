/* The bytes at the end of an object are set, and nothing before them. */
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct buffer {
    int length;
    struct buffer *next;
    char bytes[];
};
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct buffer *b;
    char *from;
    if (n > 16)
        return 0;
    b = malloc(sizeof *b + 16);
    if (!b)
        return 0;
    b->length = 3;
    b->next = b;
    from = b->bytes;
    memset(from, 0, n);
    if (b->length != 3 || b->next != b)
        reach_error();
    return 0;
}
