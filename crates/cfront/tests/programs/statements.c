static unsigned h = 1;
static void mix(unsigned v) { h = h * 31u + v + 7u; }
static int g = 3;
static int bump(int by) { g += by; return g; }
static int count(void) { static int n = 5, m[2] = { 1 }; m[1] += n; return n++ + m[1]; }

static int duff(int n) {
    int sum = 0, k = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { sum += 1;
    case 3:      sum += 10;
    case 2:      sum += 100;
    case 1:      sum += 1000;
            } while (--k > 0);
    }
    return sum;
}

static int classify(int c) {
    switch (c) {
    case 'a' ... 'f': return 1;
    case '0': case '1': return 2;
    default:
        if (c < 0) return 3;
        /* falls through */
    case 100000: c++;
        break;
    case -5: return 4;
    }
    return c;
}

static int gotos(int n) {
    int i = 0, s = 0;
again:
    if (i >= n) goto done;
    {
        int fresh = i * 2;
        s += fresh;
        i++;
        if (s > 50) goto done;
        goto again;
    }
done:
    return s;
}

static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int is_even(int n);
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }

static int apply(int (*f)(int), int x) { return f(x) + (*f)(x + 1) + (**f)(2); }
static int old_style(a, b, c) char a; short *b; { return a + *b + c; }
static int comma(void) { int a = 1, b; b = (a++, a += 2, a * 10); return a + b; }

unsigned all(void) {
    int i, x, y, *p;
    short s = 4;
    for (i = 0; i < 9; i++) mix(duff(i + 1));
    for (i = -6; i < 130; i += 5) mix(classify(i));
    mix(classify('0')); mix(classify(100000));
    mix(gotos(4)); mix(gotos(100));
    mix(ackermann(2, 3));
    mix(is_even(10) * 2 + is_odd(7));
    mix(apply(is_odd, 5));
    mix(old_style(300, &s, 2));
    mix(comma());
    mix(count()); mix(count()); mix(count());
    x = 5; y = 0;
    if (x > 3 && bump(1) > 3 || bump(100)) y = 1;
    mix(y); mix(g);
    y = x == 5 && bump(2) ? bump(3) : bump(1000); mix(y); mix(g);
    y = !(x && !g) + (g || bump(9)); mix(y); mix(g);
    y = (g = 2) + 1; mix(y);
    y = x++ * 2; mix(y); y = --x - 7; mix(y); mix(x);
    for (i = 0, y = 0; ; i++) { if (i == 3) continue; if (i > 6) break; while (1) { y += i & 2; if (y % 2) break; y++; } }
    mix(y);
    do { y -= 3; if (y < 5) break; } while (y > 0 ? g : 0);
    mix(y);
    p = &x; *p += 4; (*p)++; mix(x); p[0] <<= 2; mix(*p);
    y = ({ int t = x; if (t > 3) t = -t; t; }); mix(y);
    y = y ?: 3; mix(y); y = 0 ?: 8; mix(y);
    { int v[(x & 7) + 1]; for (i = 0; i <= (x & 7); i++) v[i] = i * i; mix(sizeof v); mix(v[(x & 7) ? (x & 7) - 1 : 0]); }
    int out; mix(__builtin_add_overflow(2147483647, 1, &out)); mix(out);
    mix(__builtin_mul_overflow(7, 6, &out)); mix(out);
    unsigned char narrow; mix(__builtin_sub_overflow(3, 5, &narrow)); mix(narrow);
    mix(__builtin_bswap32(h)); mix(__builtin_bswap16((unsigned short) h)); mix(__builtin_abs(-17 - (int) (h & 7)));
    return h;
}
