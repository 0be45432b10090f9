//@ verdict: UNSAFE
// The length that the packet tells is not looked at.
#include <assert.h>
extern unsigned char input(void);
static void copy(unsigned char *to, const unsigned char *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
int main(void) {
    unsigned char packet[128], saved[128]; int length = input(), i;
    for (i = 0; i < 128; i++) packet[i] = input();
    copy(saved, packet, length);
    for (i = 0; i < length; i++) assert(saved[i] == packet[i]);
    return 0;
}
