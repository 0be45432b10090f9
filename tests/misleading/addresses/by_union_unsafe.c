/* A number that becomes a pointer by the bytes that both have. */
extern void reach_error(void);
union both {
    long n;
    char *p;
};
int main(void) {
    union both u;
    char *p, *q;
    u.n = -1;
    p = u.p;
    q = (char *)((unsigned long)p + 1);
    if (q == 0)
        reach_error();
    return 0;
}
