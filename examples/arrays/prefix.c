//@ verdict: SAFE
// Strings that agree in their first characters do so one by one.
#include <assert.h>
extern char input(void);
static int compare(const char *a, const char *b, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        if (a[i] == '\0') return 0;
    }
    return 0;
}
int main(void) {
    char word[24], key[24]; int i, n = input();
    if (n < 0 || n > 24) return 0;
    for (i = 0; i < 24; i++) { word[i] = input(); key[i] = input(); }
    if (compare(word, key, n) == 0)
        for (i = 0; i < n && word[i] != '\0'; i++) assert(word[i] == key[i]);
    return 0;
}
