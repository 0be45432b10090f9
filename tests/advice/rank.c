#include <assert.h>
#include <wctype.h>

int any(void);

int main(void) {
    wint_t c = any();
    if (c < L'0' || c > L'9') return 0;
    assert(iswxdigit(c));
}
