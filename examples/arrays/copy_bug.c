//@ verdict: UNSAFE
// The second part is copied from the start of the packet.
#include <assert.h>
extern unsigned char input(void);
static void copy(unsigned char *to, const unsigned char *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
int main(void) {
    unsigned char packet[128], saved[128]; int head = input(), i;
    if (head > 128) return 0;
    for (i = 0; i < 128; i++) packet[i] = input();
    copy(saved, packet, head);
    copy(saved + head, packet, 128 - head);
    for (i = 0; i < 128; i++) assert(saved[i] == packet[i]);
    return 0;
}
