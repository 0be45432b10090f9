//@ verdict: UNSAFE --check member
// A record gets its text: as much as the whole record has room for, over the member behind the text.
#include <string.h>

struct record {
    char name[16];
    long balance;
};

static const char TEXT[32] = "the name of somebody";

int main(void) {
    struct record r = {"", 100};
    memcpy(r.name, TEXT, sizeof r);
    return r.balance != 100;
}
