static unsigned h = 1;
static void mix(unsigned long v) { h = h * 31u + (unsigned) (v ^ (v >> 32)) + 7u; }

struct point { int x; short y; };
struct line { struct point a, b; char name[6]; };
union both { unsigned u; unsigned char c[4]; struct { unsigned short lo, hi; }; };
struct node { int value; struct node *next; };
struct bits { unsigned a : 3; int b : 4; unsigned long long c : 40; _Bool d : 1; };

static struct point origin = { .y = 2, .x = 1 };
static struct line lines[3] = { { { 1, 2 }, { 3, 4 }, "ab" }, [2] = { .b = { 7 }, .name = { 'x', [3] = 'y' } } };
static int matrix[3][4] = { { 1, 2 }, 3, 4, 5, 6, [2][1] = 9, 10 };
static const char *words[] = { "zero", "one", "tw\x6f", "thr" "ee" };
static char text[] = "a string that is longer than sixty-four characters, so that it is copied as a block";
static int big[100] = { [3 ... 5] = 4, [90] = 1, 2 };
static int *inside = &matrix[1][2];
static int (*table[2])(int);
static struct { int tag; union { int i; double d; } v; } mixed[2] = { { 1, { 5 } }, { .tag = 2, .v.d = 1.5 } };
static struct point *compound = &(struct point) { 11, 12 };

static struct point add(struct point p, struct point q) { p.x += q.x; p.y += q.y; return p; }
static struct line flip(const struct line *l) { struct line r = *l; struct point t = r.a; r.a = r.b; r.b = t; return r; }
static int twice(int n) { return 2 * n; }
static int square(int n) { return n * n; }

static unsigned sum(const unsigned char *bytes, unsigned long n) {
    unsigned s = 0;
    while (n--) s = s * 3 + *bytes++;
    return s;
}

static int list(void) {
    struct node n[5] = { { 0 } }, *head = 0, *p;
    for (int i = 0; i < 5; i++) { n[i].value = i * i; n[i].next = head; head = &n[i]; }
    int total = 0;
    for (p = head; p; p = p->next) total = total * 3 + p->value;
    return total;
}

static int swap(int *a, int *b) { int t = *a; *a = *b; *b = t; return *a - *b; }

unsigned all(void) {
    struct point p = origin, q;
    q = add(p, (struct point) { 5, 6 });
    mix(q.x); mix(q.y); mix(add(q, q).x); mix(p.x);
    struct line l = flip(&lines[0]);
    mix(l.a.x); mix(l.b.y); mix(l.name[1]); mix(lines[2].b.x); mix(lines[2].name[3]); mix(lines[1].a.x);
    lines[1] = l; mix(lines[1].a.y); mix(lines[1].name[0]);
    for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) mix(matrix[i][j]);
    mix(*inside); mix(inside[-1]); mix(*(*(matrix + 2) + 2)); mix(inside - &matrix[0][0]);
    for (int i = 0; i < 4; i++) { const char *w = words[i]; while (*w) mix(*w++); }
    mix(sum((unsigned char *) text, sizeof text)); mix(big[4]); mix(big[6]); mix(big[90] + big[91] * 2);
    union both u; u.u = 0x01020304; mix(u.c[0]); mix(u.hi); u.c[3] = 9; mix(u.u);
    struct bits b = { 9, -9, 1ull << 39, 4 };
    b.a += 7; b.b--; b.c = b.c * 2 + 5; mix(b.a); mix(b.b); mix(b.c); mix(b.d); mix(b.a = 12); mix(b.c << 1 >> 39);
    table[0] = twice; table[1] = square; mix(table[1](7) + table[b.d](3) + table[0](1));
    mix(mixed[0].v.i); mix(mixed[1].tag); mix((int) (mixed[1].v.d * 4)); mix(compound->y);
    mix(list());
    int x = 1, y = 2; mix(swap(&x, &y)); mix(x * 10 + y); mix(swap(&matrix[0][0], &matrix[2][1])); mix(matrix[0][0]);
    char buffer[8], *e = buffer; *e++ = 'a'; *e++ = 'b'; *e = 0; mix(e - buffer); mix(buffer[1]);
    __builtin_memset(buffer, 1, 4); __builtin_memcpy(buffer + 4, "wxyz", 4); mix(sum((unsigned char *) buffer, 8));
    __builtin_memmove(buffer + 1, buffer, 5); mix(sum((unsigned char *) buffer, 8));
    double d = 2.5; float f = d * 3; d += f; mix((int) d); mix(d > 9.9 && f != 7); mix((unsigned char) (int) -d);
    long w = (char) 0xff; mix(w); unsigned long uw = -1; mix(uw >> 60); short s = 40000; mix(s); mix((unsigned short) s >> 3);
    _Bool t = 0.25; mix(t); t = 0; t--; mix(t); t ^= 1; mix(t);
    int v = -17; mix(v / 5); mix(v % 5); mix(v >> 2); mix((unsigned) v >> 28); mix(v & 0xff); mix(-v << 3);
    struct { int n; struct point in[2]; } nested = { 1, { { 2 }, { 3, 4 } } }, copy = nested; copy.in[1].y++;
    mix(nested.in[1].y * 10 + copy.in[1].y); struct point *pp = copy.in; pp++; pp->x = 8; mix(copy.in[1].x); mix(pp[-1].x);
    return h;
}
