//@ verdict: UNSAFE
// The end is taken for a character where another one follows.
#include <assert.h>
extern char input(void);
static int length(const char *s) { int n = 0; while (s[n] != '\0' || s[n + 1] != '\0' && n < 62) n++; return n; }
int main(void) {
    char text[64]; int i, n;
    for (i = 0; i < 63; i++) text[i] = input();
    text[63] = '\0';
    n = length(text);
    assert(n <= 63);
    for (i = 0; i < n; i++) assert(text[i] != '\0');
    return 0;
}
