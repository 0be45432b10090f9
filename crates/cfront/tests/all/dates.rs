//! What the models of `<time.h>`, of `div` and of the builtins that count bits compute is what the C library computes.

use crate::common::{compiled, interpret};
use cfront::Options;
use testing::Scratch;

const PROGRAM: &str = r#"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

static const long seconds[] = {
    0, -1, 1, 59, 86399, 86400, -86400, -86401, 951782399, 951782400, 951868799, 951868800, 1000000000, 4107542399,
    4107542400, 253402300800, -2208988800, -2203891201, -62135596800, 67768036191676799, 67768036191676800, LONG_MAX, LONG_MIN
};

static void show(const struct tm *t) {
    printf("%d %d %d ", t->tm_sec, t->tm_min, t->tm_hour);
    printf("%d %d %d ", t->tm_mday, t->tm_mon, t->tm_year);
    printf("%d %d %d\n", t->tm_wday, t->tm_yday, t->tm_isdst);
}

static void dates(void) {
    for (unsigned i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        struct tm t, *r = gmtime_r(&seconds[i], &t);
        printf("%ld %d\n", seconds[i], r != 0);
        if (r) {
            show(gmtime(&seconds[i]));
            printf("%ld\n", timegm(&t));
        }
        printf("%a %a\n", difftime(seconds[i], 1), difftime(0, seconds[i]));
    }
    struct tm odd = { 61, -1, 25, 31, 13, 99, 0, 0, 0 };
    printf("%ld\n", timegm(&odd));
    show(&odd);
    struct tm most = { INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, 0, 0, 0 };
    printf("%ld\n", timegm(&most));
    struct tm least = { INT_MIN, INT_MIN, INT_MIN, INT_MIN, INT_MIN, 0, 0, 0, 0 };
    printf("%ld\n", timegm(&least));
    show(&least);
}

static void bits(unsigned long x) {
    printf("%d %d %d\n", __builtin_popcount(x), __builtin_popcountl(x), __builtin_popcountll(x));
    printf("%d %d %d\n", __builtin_parity(x), __builtin_parityl(x), ffsl(x));
    printf("%d %d\n", __builtin_ffs(x), ffs(x));
    if (x)
        printf("%d %d\n", __builtin_clzl(x), __builtin_ctzl(x));
    if ((unsigned)x)
        printf("%d %d\n", __builtin_clz(x), __builtin_ctz(x));
}

static void show_overflow(int overflow, long result) {
    printf("%d %ld\n", overflow, result);
}

static void overflows(unsigned long a, unsigned long b) {
    unsigned long u;
    long s;
    int i;
    unsigned short h;
    int overflow;
    overflow = __builtin_umull_overflow(a, b, &u);
    show_overflow(overflow, u);
    overflow = __builtin_uaddl_overflow(a, b, &u);
    show_overflow(overflow, u);
    overflow = __builtin_usubl_overflow(a, b, &u);
    show_overflow(overflow, u);
    overflow = __builtin_smull_overflow(a, b, &s);
    show_overflow(overflow, s);
    overflow = __builtin_smul_overflow(a, b, &i);
    show_overflow(overflow, i);
    overflow = __builtin_mul_overflow(a, b, &i);
    show_overflow(overflow, i);
    overflow = __builtin_sub_overflow(a, b, &h);
    show_overflow(overflow, h);
    overflow = __builtin_mul_overflow(a, (long)b, &s);
    show_overflow(overflow, s);
}

int main(void) {
    dates();
    unsigned long x = 1;
    for (int i = 0; i < 200; i++) {
        bits(i < 64 ? 1ul << i : i < 70 ? i - 64 : x);
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        overflows(x >> (i % 64), x * 77 >> (i * 7 % 64));
    }
    for (int a = -7; a <= 7; a++)
        for (int b = -3; b <= 3; b += 2) {
            div_t d = div(a, b);
            ldiv_t l = ldiv(a * 1000L, b);
            printf("%d %d %ld %ld %lld\n", d.quot, d.rem, l.quot, l.rem, lldiv(a, b).rem);
        }
    return 0;
}
"#;

#[test]
fn models_compute_what_the_library_computes() {
    let scratch = Scratch::new();
    let file = scratch.file("dates.c", PROGRAM);
    let natively = compiled(&file, &["-fno-builtin"]).expect("it ends");
    let here = interpret(&file, &Options::default(), 10_000_000).expect("everything is modelled");
    assert_eq!(here.stdout.lines().count(), natively.stdout.lines().count());
    for (n, (ours, theirs)) in here.stdout.lines().zip(natively.stdout.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {n}");
    }
}
