#include <assert.h>

int any(void);

int main(void) {
    int cents = any();
    if (cents < 0 || cents > 1000000) return 0;
    long double rate = 0.05L, interest = cents * rate;
    assert(interest <= cents);
}
