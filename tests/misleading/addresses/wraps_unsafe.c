/* Arithmetic on integers wraps around: the last address and one is NULL. */
extern void reach_error(void);
int main(void) {
    char *p = (char *)-1L;
    char *q = (char *)((unsigned long)p + 1);
    if (q == 0)
        reach_error();
    return 0;
}
