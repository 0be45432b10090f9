/* The member of NULL is a small number, and before that is the end of the address space. */
extern void reach_error(void);
struct s {
    long a, b;
};
int main(void) {
    struct s *p = 0;
    struct s *q = (struct s *)((unsigned long)&p->b - 16);
    if (q != 0)
        reach_error();
    return 0;
}
