/* A number that becomes a pointer by a copy of its bytes. */
extern void reach_error(void);
extern void *memcpy(void *to, const void *from, unsigned long n);
int main(void) {
    long n = -1;
    char *kept, *p, *q;
    memcpy(&kept, &n, sizeof kept);
    p = kept;
    q = (char *)((unsigned long)p + 1);
    if (q == 0)
        reach_error();
    return 0;
}
