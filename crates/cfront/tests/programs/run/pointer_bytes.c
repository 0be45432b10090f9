/* Pointers copied byte by byte, cut and put together again; calls through pointers whose types differ in sign. */
#include <stdio.h>

struct holder {
    char before;
    int *pointer;
    char after;
};

static void copy(void *to, const void *from, unsigned long n)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    while (n--) {
        *d++ = *s++;
    }
}

static void swap(char *a, char *b, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

static unsigned negated(unsigned n)
{
    return -n;
}

static void sort(void *base, unsigned long n, unsigned long size, int (*less)(const void *, const void *))
{
    for (unsigned long i = 1; i < n; i++) {
        for (unsigned long j = i; j > 0 && less((char *)base + j * size, (char *)base + (j - 1) * size); j--) {
            swap((char *)base + j * size, (char *)base + (j - 1) * size, size);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    return **(int *const *)a < **(int *const *)b;
}

int main(void)
{
    int x = 3, y = 1, z = 2;
    int *pointers[3] = {&x, &y, &z}, *p = &x, *q;
    struct holder a = {'a', &y, 'b'}, b;
    union {
        int *pointer;
        unsigned char bytes[sizeof(int *)];
    } u, v;

    copy(&q, &p, sizeof p);
    printf("%d %d\n", *q, q == p);
    copy(&b, &a, sizeof a);
    printf("%c %d %c\n", b.before, *b.pointer, b.after);
    swap((char *)&p, (char *)&b.pointer, sizeof p);
    printf("%d %d\n", *p, *b.pointer);
    u.pointer = &z;
    for (unsigned i = sizeof u.bytes; i-- > 0;) {
        v.bytes[i] = u.bytes[i];
    }
    printf("%d\n", *v.pointer);
    v.bytes[2] = 7;
    v.bytes[2] = u.bytes[2];
    printf("%d\n", *v.pointer);
    sort(pointers, 3, sizeof *pointers, by_value);
    printf("%d %d %d\n", *pointers[0], *pointers[1], *pointers[2]);
    int (*f)(int) = (int (*)(int))negated;
    printf("%d\n", f(5));
    return 0;
}
