//@ verdict: SAFE
// A string that is copied has the same characters.
#include <assert.h>
extern char input(void);
static void copy(char *to, const char *from) { int i = 0; while ((to[i] = from[i]) != '\0') i++; }
int main(void) {
    char a[32], b[32]; int i;
    for (i = 0; i < 31; i++) a[i] = input();
    a[31] = '\0';
    copy(b, a);
    for (i = 0; a[i] != '\0'; i++) assert(a[i] == b[i]);
    assert(b[i] == '\0');
    return 0;
}
