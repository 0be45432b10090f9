/* Members at their distances, as flattened C has them. */
extern void reach_error(void);
struct list {
    struct list *next;
};
struct item {
    int id, size;
    struct list link;
};
int main(void) {
    struct item it;
    struct item *back;
    unsigned long t1, t2;
    int *size;
    it.id = 7;
    t1 = (unsigned long)&it;
    t2 = t1 + 0;
    size = (int *)t2;
    *size = 3;
    t1 = (unsigned long)&it.link;
    t2 = t1 - 8UL;
    back = (struct item *)t2;
    if (back->id != 7 || it.size != 3)
        reach_error();
    return 0;
}
