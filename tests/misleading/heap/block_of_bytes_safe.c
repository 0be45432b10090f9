/* A block of bytes beside its length is filled byte by byte through pointers; it is read when it is full, or padded. */
unsigned char __VERIFIER_nondet_uchar(void);
struct block { unsigned char bytes[8]; unsigned length; };
static unsigned sum(const unsigned char *p) {
    unsigned all = 0;
    for (int i = 0; i < 8; i++)
        all += p[i];
    return all;
}
static unsigned add(struct block *b, const unsigned char *from, unsigned n) {
    unsigned all = 0;
    for (unsigned i = 0; i < n; i++) {
        b->bytes[b->length++] = from[i];
        if (b->length == 8) {
            all += sum(b->bytes);
            b->length = 0;
        }
    }
    return all;
}
int main(void) {
    unsigned char in[10];
    struct block b;
    for (int i = 0; i < 10; i++)
        in[i] = __VERIFIER_nondet_uchar();
    b.length = 0;
    unsigned all = add(&b, in, 10);
    while (b.length < 8)
        b.bytes[b.length++] = 0;
    return (all + sum(b.bytes)) & 1;
}
