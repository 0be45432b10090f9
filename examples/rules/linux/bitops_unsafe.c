/* Breaks the rule linux/bitops. */
unsigned long find_next_bit(const unsigned long *map, unsigned long size, unsigned long offset);
unsigned long map[2];

int main(void) {
    int bits = 0;
    unsigned long at = find_next_bit(map, 128, 0);
    while (at <= 128) {
        bits++;
        at = find_next_bit(map, 128, at + 1);
    }
    return bits;
}
