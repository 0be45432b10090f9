//@ verdict: SAFE --check member
// A record gets its text: as much as its first member has room for.
#include <string.h>

struct record {
    char name[16];
    long balance;
};

static const char TEXT[32] = "the name of somebody";

int main(void) {
    struct record r = {"", 100};
    memcpy(r.name, TEXT, sizeof r.name);
    return r.balance != 100;
}
