/* linux/bitops: searches in bit maps. */
unsigned long find_next_bit(const unsigned long *map, unsigned long size, unsigned long offset);
unsigned long find_first_bit(const unsigned long *map, unsigned long size);

struct map { unsigned long bits[2]; unsigned long size; } all = {{1, 2}, 128};

int keeps_loop_over_bits(void) {
    unsigned long n = find_first_bit(all.bits, 128);
    while (n < 128)
        n = find_next_bit(all.bits, 128, n + 1);
    return 0;
}

int breaks_loop_over_bits(void) {
    unsigned long n = find_first_bit(all.bits, 128);
    int turns;
    for (turns = 0; turns < 2; turns++)
        n = find_next_bit(all.bits, 128, n + 1);
    return 0;
}

int keeps_size_by_pointer(void) {
    struct map *p = &all;
    p->size = 64;
    return (int)find_next_bit(p->bits, all.size, 64);
}

int breaks_size_by_pointer(void) {
    unsigned long *size = &all.size;
    *size = 64;
    return (int)find_next_bit(all.bits, all.size, 65);
}

int keeps_nothing_found(void) {
    unsigned long n = find_first_bit(all.bits, 16);
    if (n == 16)
        return 1;
    return find_next_bit(all.bits, 16, n + 1) == 16;
}

int breaks_nothing_found(void) {
    unsigned long n = find_first_bit(all.bits, 16);
    if (n == 16)
        n++;
    return find_next_bit(all.bits, 16, n) == 16;
}
