//@ verdict: UNSAFE
// A new object has arbitrary contents until it is initialised, and one field of it is read too early. Only one value
// of 2^32 leads on, and only where the pointer beside it is not NULL.
#include <stdlib.h>
extern void reach_error(void);

struct request {
    int length;
    int urgent;
    struct request *next;
};

int main(void) {
    struct request *r = malloc(sizeof(struct request));
    if (r == NULL)
        return 0;
    r->length = 10;
    if (r->urgent == 123456) {
        if (r->next != NULL)
            reach_error();
    }
    return 0;
}
