/* A number that comes through a global and a call. */
extern void reach_error(void);
static char *kept;
static char *same(char *p) { return p; }
int main(void) {
    char *p, *q;
    kept = (char *)-1L;
    p = same(kept);
    q = (char *)((unsigned long)p + 1);
    if (q == 0)
        reach_error();
    return 0;
}
