/* An index that wraps around in as many bits as an address has. */
extern void reach_error(void);
int main(void) {
    int a[4] = {0, 0, 0, 0};
    unsigned i = 0x40000001u;
    int *q = (int *)((unsigned)a + i * 4U);
    *q = 5;
    if (a[1] == 5)
        reach_error();
    return 0;
}
