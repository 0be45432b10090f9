/* Behind the last member of one structure comes the next structure of the block. */
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct item {
    int id;
    char name[4];
};
int main(void) {
    struct item *items = malloc(2 * sizeof *items);
    char *name;
    if (!items)
        return 0;
    items[1].id = 7;
    name = (char *)items + 4;
    memset(name, 0, __VERIFIER_nondet_uint() % 9);
    if (items[1].id != 7)
        reach_error();
    return 0;
}
