//@ verdict: SAFE
// What stands before the first separator has none.
#include <assert.h>
#include <string.h>
extern unsigned char input(void);
int main(void) {
    unsigned char line[48]; int i;
    for (i = 0; i < 48; i++) line[i] = input();
    unsigned char *end = memchr(line, ';', sizeof line);
    int n = end ? (int)(end - line) : (int)sizeof line;
    if (end) assert(*end == ';');
    for (i = 0; i < n; i++) assert(line[i] != ';');
    return 0;
}
