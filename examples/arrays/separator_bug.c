//@ verdict: UNSAFE
// A line without separator ends behind its last character.
#include <assert.h>
#include <string.h>
extern unsigned char input(void);
int main(void) {
    unsigned char line[48]; int i;
    for (i = 0; i < 48; i++) line[i] = input();
    unsigned char *end = memchr(line, ';', sizeof line);
    int n = end ? (int)(end - line) : (int)sizeof line;
    assert(line[n] == ';');
    return 0;
}
