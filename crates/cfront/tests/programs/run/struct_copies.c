/* Copies of structs whose places depend on what the copy itself writes, and copies of volatile ones. */
#include <stdio.h>

struct node {
    int a;
    struct node *next;
    int b;
};

struct pair {
    int x, y;
};

struct table {
    int first;
    struct pair pairs[2];
    struct pair last;
};

union word {
    unsigned number;
    unsigned char bytes[4];
};

union link {
    unsigned long number;
    int *to;
};

static int target = 7;
static volatile union link link_ = {.to = &target};
static volatile struct pair device = {1, 2};
static volatile union word word = {0x01020304u};

static struct pair same(struct pair p)
{
    return p;
}

static int sum(struct pair p)
{
    return p.x * 10 + p.y;
}

int main(void)
{
    struct node c = {5, 0, 6}, b = {3, &c, 4}, a = {1, &b, 2}, *s = &a, **link = &a.next;
    *s = *s->next;
    printf("%d %d %d\n", a.a, a.b, a.next == &c);
    a.next = &b;
    **link = *s;
    printf("%d %d %d\n", b.a, b.b, b.next == &b);

    struct table t = {1, {{0, 1}, {1, 0}}, {7, 8}};
    t.pairs[t.pairs[0].x] = t.pairs[t.pairs[0].y];
    printf("%d %d %d %d\n", t.pairs[0].x, t.pairs[0].y, t.pairs[1].x, t.pairs[1].y);
    t.pairs[t.first] = t.last;
    t.last = (struct pair){t.last.y, t.last.x};
    printf("%d %d %d %d\n", t.pairs[1].x, t.pairs[1].y, t.last.x, t.last.y);
    t.last = same(t.last);
    t.last = same((struct pair){t.last.y, t.last.x});
    printf("%d %d\n", t.last.x, t.last.y);

    struct pair copy = device;
    union word bytes;
    device.x = 5;
    bytes = word;
    word.number++;
    printf("%d %d %d %d\n", copy.x, copy.y, device.x, sum(device));
    printf("%x %x %d\n", bytes.number, word.number, word.bytes[0]);
    union link read = link_;
    printf("%d\n", *read.to);
    copy = copy.x ? device : copy;
    printf("%d\n", sum(copy));
    return sum(copy);
}
