//@ verdict: SAFE
// The first bytes of a buffer that is copied are those of the packet.
#include <assert.h>
extern unsigned char input(void);
static void copy(unsigned char *to, const unsigned char *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
int main(void) {
    unsigned char packet[128], saved[128]; int length = input(), i;
    if (length > 128) return 0;
    for (i = 0; i < 128; i++) packet[i] = input();
    copy(saved, packet, length);
    for (i = 0; i < length; i++) assert(saved[i] == packet[i]);
    return 0;
}
