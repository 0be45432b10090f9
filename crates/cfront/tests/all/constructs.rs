//! Golden tests: every construct of C that the front end knows, in its C-- form.

use crate::common::{edges_of, load_with};
use cfront::{EvaluationOrder, Options};
use expect_test::{Expect, expect};
use ir::DataModel;

/// The edges of the named procedures behind `L`-numbers; `start__` runs the initialisers of what `main` uses.
fn check(text: &str, procs: &[&str], uses: &str, expect: &Expect) {
    let calls: String = procs.iter().filter(|p| **p != "start__").map(|p| format!("(void) &{p};")).collect();
    let text = format!(
        "void reach_error(void); {text}\nint main(void) {{ {calls} {uses} reach_error(); return 0; }}\n"
    );
    // The orders of evaluation are not what is shown here.
    let options = Options { evaluation_order: EvaluationOrder::Left, ..Options::default() };
    let program = load_with(&text, &options).program;
    expect.assert_eq(&edges_of(&program, procs));
}

/// Records and variables in both data models.
fn check_types(text: &str, names: &[&str], lp64: &Expect, ilp32: &Expect) {
    let uses: String = names.iter().map(|n| format!("(void) &{n};")).collect();
    let text =
        format!("void reach_error(void); {text}\nint main(void) {{ {uses} reach_error(); return 0; }}\n");
    for (model, expect) in [(DataModel::Lp64, lp64), (DataModel::Ilp32, ilp32)] {
        let options = Options { data_model: model, ..Options::default() };
        let printed = ir::print::program(&load_with(&text, &options).program, None);
        let head: Vec<&str> =
            printed.lines().skip(2).take_while(|l| !l.starts_with("check") && !l.is_empty()).collect();
        expect.assert_eq(&(head.join("\n") + "\n"));
    }
}

#[test]
fn layouts_in_both_data_models() {
    check_types(
        "struct a { char c; long l; char *p; long long q; double d; short s; } a; \
         union u { char c[9]; long l; long double e; } u; struct n { struct a in; char t; } n; _Bool b; enum e { A } e;",
        &["a", "u", "n", "b", "e"],
        &expect![[r#"
            struct a {
              char c @0;
              long l @8;
              char *p @16;
              long q @24;
              double d @32;
              short s @40;
            } size 48 align 8;
            union u {
              char c[9] @0;
              long l @0;
              long double e @0;
            } size 16 align 16;
            struct n {
              struct a in @0;
              char t @48;
            } size 56 align 8;
            global struct a a #1;
            global union u u;
            global struct n n;
            global _Bool b;
            global unsigned int e;
        "#]],
        &expect![[r#"
            struct a {
              char c @0;
              int l @4;
              char *p @8;
              long long q @12;
              double d @20;
              short s @28;
            } size 32 align 4;
            union u {
              char c[9] @0;
              int l @0;
              long double e @0;
            } size 12 align 4;
            struct n {
              struct a in @0;
              char t @32;
            } size 36 align 4;
            global struct a a #1;
            global union u u;
            global struct n n;
            global _Bool b;
            global unsigned int e;
        "#]],
    );
}

#[test]
fn bit_fields_and_packing() {
    check_types(
        "struct b { unsigned x : 3; int y : 5; long long z : 40; char c; int : 0; int w : 9; } b; \
         struct p { char c; int x : 20; long l; } __attribute__((packed)) p; \
         struct al { char c __attribute__((aligned(8))); _Alignas(4) char d; } __attribute__((aligned(16))) al; \
         typedef long long low __attribute__((aligned(4))); struct t { char c; low l; } t; struct f { int n; char d[]; } f;",
        &["b", "p", "al", "t", "f"],
        &expect![[r#"
            struct b {
              unsigned _BitInt(3) x @0:0;
              _BitInt(5) y @0:3;
              _BitInt(40) z @0:8;
              char c @6;
              _BitInt(9) w @8:0;
            } size 16 align 8;
            struct p {
              char c @0;
              _BitInt(20) x @1:0;
              long l @4;
            } size 12 align 1;
            struct al {
              char c @0;
              char d @4;
            } size 16 align 16;
            struct t {
              char c @0;
              long l @4;
            } size 12 align 4;
            struct f {
              int n @0;
              char d[] @4;
            } size 4 align 4;
            global struct b b #1;
            global struct p p;
            global struct al al;
            global struct t t;
            global struct f f;
        "#]],
        &expect![[r#"
            struct b {
              unsigned _BitInt(3) x @0:0;
              _BitInt(5) y @0:3;
              _BitInt(40) z @0:8;
              char c @6;
              _BitInt(9) w @8:0;
            } size 12 align 4;
            struct p {
              char c @0;
              _BitInt(20) x @1:0;
              int l @4;
            } size 8 align 1;
            struct al {
              char c @0;
              char d @4;
            } size 16 align 16;
            struct t {
              char c @0;
              long long l @4;
            } size 12 align 4;
            struct f {
              int n @0;
              char d[] @4;
            } size 4 align 4;
            global struct b b #1;
            global struct p p;
            global struct al al;
            global struct t t;
            global struct f f;
        "#]],
    );
}

#[test]
fn types_of_every_kind() {
    check_types(
        "int (*fp)(char, ...); int *m[3][2]; int (*pa)[4]; struct s *q; const volatile char *s; \
         float f; long double l; typedef int F(void); F *g; union { int a; struct { char b; }; } anon; __typeof__(1 + 1L) t; __builtin_va_list ap;",
        &["fp", "m", "pa", "q", "s", "f", "l", "g", "anon", "t", "ap"],
        &expect![[r#"
            struct s;
            union anon__1 {
              int a @0;
              struct anon__2 @0;
            } size 4 align 4;
            struct anon__2 {
              char b @0;
            } size 1 align 1;
            struct __va_list_tag {
              unsigned int gp_offset @0;
              unsigned int fp_offset @4;
              void *overflow_arg_area @8;
              void *reg_save_area @16;
            } size 24 align 8;
            global int (*fp)(char, ...) #1;
            global int *m[3][2];
            global int (*pa)[4];
            global struct s *q;
            global char *s;
            global float f;
            global long double l;
            global int (*g)(void);
            global union anon__1 anon;
            global long t;
            global struct __va_list_tag ap[1];
        "#]],
        &expect![[r#"
            struct s;
            union anon__1 {
              int a @0;
              struct anon__2 @0;
            } size 4 align 4;
            struct anon__2 {
              char b @0;
            } size 1 align 1;
            global int (*fp)(char, ...) #1;
            global int *m[3][2];
            global int (*pa)[4];
            global struct s *q;
            global char *s;
            global float f;
            global long double l;
            global int (*g)(void);
            global union anon__1 anon;
            global int t;
            global char *ap;
        "#]],
    );
}

#[test]
fn nested_and_designated_initialisers() {
    check(
        "struct p { int x, y; }; struct q { struct p a[2]; int n; union { char c; int i; }; }; \
         struct q g = { .a[1].y = 4, .n = 5, { .i = 6 }, .a[0] = { 1, 2 } }; int m[2][3] = { 1, [1] = { [2] = 7, [0] = 8 } }; \
         int r[] = { [0 ... 1] = 3, [4] = 5 }; int one = { 9 }; struct p *ptr = &g.a[1]; char *names[] = { \"a\", [2] = \"bc\" };",
        &["start__"],
        "(void) &g; (void) &m; (void) &r; (void) &one; (void) &ptr; (void) &names;",
        &expect![[r#"
            L0 -> L1: memset(&g, 0, 24ul);
            L1 -> L2: g.a[1].y = 4;
            L2 -> L3: g.n = 5;
            L3 -> L4: g.i = 6;
            L4 -> L5: g.a[0].x = 1;
            L5 -> L6: g.a[0].y = 2;
            L6 -> L7: m[0][1] = 0;
            L7 -> L8: m[0][2] = 0;
            L8 -> L9: m[1][1] = 0;
            L9 -> L10: m[0][0] = 1;
            L10 -> L11: m[1][2] = 7;
            L11 -> L12: m[1][0] = 8;
            L12 -> L13: r[2] = 0;
            L13 -> L14: r[3] = 0;
            L14 -> L15: r[0] = 3;
            L15 -> L16: r[1] = 3;
            L16 -> L17: r[4] = 5;
            L17 -> L18: one = 9;
            L18 -> L19: ptr = &g.a[1];
            L19 -> L20: names[1] = NULL;
            L20 -> L21: names[0] = str__1;
            L21 -> L22: names[2] = str__2;
            L22 -> L23: main();
        "#]],
    );
}

#[test]
fn local_initialisers_zero_the_rest() {
    check(
        "struct p { int x, y; }; int g(void); \
         int f(void) { int a[3] = { 1 }; struct p s = { .y = g() }, t = s; char c[] = \"ab\", d[4] = \"xyz\"; return a[2] + s.x + t.y + c[1] + d[3]; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: a[1] = 0;
            L1 -> L2: a[2] = 0;
            L2 -> L3: a[0] = 1;
            L3 -> L4: s.x = 0;
            L4 -> L5: tmp__1 = g();
            L5 -> L6: s.y = tmp__1;
            L6 -> L7: t.x = s.x;
            L7 -> L8: t.y = s.y;
            L8 -> L9: c[0] = 97;
            L9 -> L10: c[1] = 98;
            L10 -> L11: c[2] = 0;
            L11 -> L12: d[0] = 120;
            L12 -> L13: d[1] = 121;
            L13 -> L14: d[2] = 122;
            L14 -> L15: d[3] = 0;
            L15 -> L16: ret__ = a[2] + s.x + t.y + c[1] + d[3];
        "#]],
    );
}

#[test]
fn compound_literals() {
    check(
        "struct p { int x, y; }; int h(struct p, int *); int *q = (int[]){ 7, 8 }; \
         int f(int n) { struct p *v = &(struct p){ n, .y = 2 }; return h((struct p){ .x = 3 }, (int[]){ n, v->y }); }",
        &["f"],
        "(void) &q;",
        &expect![[r#"
            L0 -> L1: literal____2.x = n;
            L1 -> L2: literal____2.y = 2;
            L2 -> L3: v = &literal____2;
            L3 -> L4: literal____3.y = 0;
            L4 -> L5: literal____3.x = 3;
            L5 -> L6: literal____4[0] = n;
            L6 -> L7: literal____4[1] = v->y;
            L7 -> L8: ret__ = h(&literal____3, literal____4);
        "#]],
    );
}

#[test]
fn statement_expressions() {
    check(
        "int f(int n) { int x = ({ int y = n; if (y < 0) y = -y; y; }); ({ n++; }); return x + ({ n; }); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: y = n;
            L1 -> L2: assume(y < 0);
            L1 -> L3: assume(y >= 0);
            L2 -> L3: y = -y;
            L3 -> L4: x = y;
            L4 -> L5: tmp__1 = n;
            L5 -> L6: n = n + 1;
            L6 -> L7: tmp__2 = x;
            L7 -> L8: ret__ = tmp__2 + n;
        "#]],
    );
}

#[test]
fn old_style_definitions() {
    check(
        "f(c, s, x, p) char c; short s; float x; int p[]; { return c + s + p[1]; } int k(void) { int a[2]; return f(300, 1, 2.5, a) + f(); }",
        &["f", "k"],
        "",
        &expect![[r#"
            L0 -> L1: ret__ = c + s + p[1];
            L0 -> L1: tmp__1 = f(44, 1, 2.5f, a);
            L1 -> L2: havoc(tmp__2, uninit);
            L2 -> L3: havoc(tmp__3, uninit);
            L3 -> L4: havoc(tmp__4, uninit);
            L4 -> L5: havoc(tmp__5, uninit);
            L5 -> L6: tmp__6 = f(tmp__2, tmp__3, tmp__4, tmp__5);
            L6 -> L7: ret__ = tmp__1 + tmp__6;
        "#]],
    );
}

#[test]
fn string_literals() {
    check(
        "char *f(int n) { const char *s = \"a\" \"b\\0\\x63\\101\"; int *w = L\"x\"; unsigned short *u = u\"y\"; if (n) return \"ab\" + 1; return sizeof \"abc\" > 3 ? &\"q\"[1] : __func__; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: s = str__1;
            L1 -> L2: w = str__2;
            L2 -> L3: u = str__3;
            L3 -> L4: assume(n != 0);
            L3 -> L5: assume(n == 0);
            L4 -> L6: ret__ = &str__4[1];
            L5 -> L6: ret__ = &str__5[1];
        "#]],
    );
}

#[test]
fn variadic_callees() {
    check(
        "int printf(const char *, ...); int n; \
         int v(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int x = __builtin_va_arg(ap, int); __builtin_va_end(ap); return x; } \
         int f(char c, float x, short s) { return v(1, c, x, s + 1L, n++, \"s\"); }",
        &["v", "f"],
        "",
        &expect![[r#"
            L0 -> L1: havoc(tmp__1, unmodelled "va_arg");
            L1 -> L2: x = tmp__1;
            L2 -> L3: ret__ = x;
            L0 -> L1: tmp__1 = n;
            L1 -> L2: n = n + 1;
            L2 -> L3: ret__ = v(1, (int) c, (double) x, (long) s + 1, tmp__1, str__1);
        "#]],
    );
}

#[test]
fn arrays_of_variable_length() {
    check(
        "int f(int n, int a[n][n + 1]) { int b[n], c[2][n]; int (*p)[n] = c; typedef char T[n]; T t; n = 5; a[1][2] = 3; p[1][0] = b[0]; p++; \
         return sizeof b + sizeof(T) + sizeof(int[n]) + (p - c) + t[0]; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: tmp__1 = (long) (n + 1);
            L1 -> L2: assume(tmp__1 >= 0);
            L2 -> L3: tmp__2 = (long) n;
            L3 -> L4: assume(tmp__2 >= 0);
            L4 -> L5: b = alloc((unsigned long) tmp__2 * 4);
            L5 -> L6: tmp__3 = (long) n;
            L6 -> L7: assume(tmp__3 >= 0);
            L7 -> L8: c = alloc((unsigned long) (2 * tmp__3) * 4);
            L8 -> L9: tmp__4 = (long) n;
            L9 -> L10: assume(tmp__4 >= 0);
            L10 -> L11: p = c;
            L11 -> L12: tmp__5 = (long) n;
            L12 -> L13: assume(tmp__5 >= 0);
            L13 -> L14: t = alloc((unsigned long) tmp__5);
            L14 -> L15: n = 5;
            L15 -> L16: (a + 1 * tmp__1)[2] = 3;
            L16 -> L17: p[1 * tmp__4] = *b;
            L17 -> L18: p = p + 1 * tmp__4;
            L18 -> L19: tmp__6 = (long) n;
            L19 -> L20: assume(tmp__6 >= 0);
            L20 -> L21: ret__ = (int) ((unsigned long) tmp__2 * 4 + tmp__5 + (unsigned long) tmp__6 * 4 + (p - c) / tmp__4 + *t);
        "#]],
    );
}

#[test]
fn flexible_members() {
    check(
        "struct s { int n; int d[]; }; void *malloc(unsigned long); \
         int f(int n) { struct s *p = malloc(sizeof *p + n * sizeof(int)); p->d[n - 1] = 3; struct s q = *p; return p->d[0] + sizeof(struct s) + q.n; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: p = alloc(4 + (unsigned long) n * 4, may_fail);
            L1 -> L2: p->d[n - 1] = 3;
            L2 -> L3: q.n = p->n;
            L3 -> L4: ret__ = (int) ((unsigned long) p->d[0] + 4 + q.n);
        "#]],
    );
}

#[test]
fn floats() {
    check(
        "double g; float f(float x, int n) { double d = x * 2 + n; long double l = d; x += 0.1; g = -d / 3.0f; if (d > x && !l) return (int) d; return x ? 1e3f : 0x1p-2; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: d = (double) (x * 2.0f + n);
            L1 -> L2: l = (long double) d;
            L2 -> L3: x = (float) (x + 0.1);
            L3 -> L4: g = -d / 3.0;
            L4 -> L5: assume(d > x);
            L4 -> L6: assume(!(d > x));
            L5 -> L6: assume(l != 0.0l);
            L5 -> L7: assume(l == 0.0l);
            L7 -> L8: ret__ = (float) (int) d;
            L6 -> L9: assume(x != 0.0f);
            L6 -> L10: assume(x == 0.0f);
            L9 -> L8: ret__ = 1000.0f;
            L10 -> L8: ret__ = 0.25f;
        "#]],
    );
}

#[test]
fn volatile_reads() {
    check(
        "volatile int v; extern volatile int w; struct { volatile int x; int y; } s; volatile int *p; \
         int f(void) { volatile int l = 1; v = 2; int a = v + w; s.x |= 1; l++; return a + s.x + *p + l + *(volatile int *)64; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: l = 1;
            L1 -> L2: v = 2;
            L2 -> L3: tmp__1 = w;
            L2 -> L3: havoc(tmp__1, outside "a read of volatile memory");
            L3 -> L4: a = v + tmp__1;
            L4 -> L5: s.x = s.x | 1;
            L5 -> L6: l = l + 1;
            L6 -> L7: tmp__2 = *p;
            L6 -> L7: havoc(tmp__2, unmodelled "a read of volatile memory");
            L7 -> L8: tmp__3 = *(int *) 64;
            L7 -> L8: havoc(tmp__3, outside "a read of volatile memory");
            L8 -> L9: ret__ = a + s.x + tmp__2 + l + tmp__3;
        "#]],
    );
}

#[test]
fn generic_selection() {
    check(
        "int f(int n, char *s, const int *c, float x) { return _Generic(n, long: 1, int: n + 1) + _Generic(s, const char *: 2, default: *s) \
         + _Generic(c, int *: 3, const int *: 4) + _Generic((char) 1, char: 5, int: 6) + _Generic(x + n, float: 7, double: 8); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: ret__ = n + 1 + *s + 4 + 5 + 7;
        "#]],
    );
}

#[test]
fn typeof_and_computed_constants() {
    check(
        "struct s { char c; int a[3]; }; enum { N = sizeof(struct s) / 4, M = N << 2 | 1 }; int arr[M > 3 ? N : 1]; \
         int f(int n) { __typeof__(n) x = M; typeof(&arr[0]) p = arr; typeof(struct s *) q = 0; switch (n) { case __builtin_offsetof(struct s, a[2]): case (char) 300: return 1; } \
         return x + (p == 0) + (q == 0) + sizeof arr + (1 ? 2 : n) + __alignof__(struct s) + (int) -1.5 + (-7 / 2) + (5u - 6 > 0) + __builtin_constant_p(N); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: x = 17;
            L1 -> L2: p = arr;
            L2 -> L3: q = NULL;
            L4 -> L5: ret__ = 1;
            L3 -> L4: assume(n == 12);
            L3 -> L4: assume(n == 44);
            L3 -> L6: assume(n != 12);
            L6 -> L7: assume(n != 44);
            L7 -> L5: ret__ = (int) ((unsigned long) (x + (p == NULL) + (q == NULL)) + 16 + 2 + 4 + 18446744073709551615u + 18446744073709551613u + 1 + 1);
        "#]],
    );
}

#[test]
fn duffs_device() {
    check(
        "int f(int n) { int s = 0; switch (n & 3) { case 0: do { s += 1; case 3: s += 2; default: s += 4; case 1 ... 2: s += 8; } while (--n > 0); } return s; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: s = 0;
            L1 -> L2: tmp__1 = n & 3;
            L3* -> L4: s = s + 1;
            L4 -> L5: s = s + 2;
            L5 -> L6: s = s + 4;
            L6 -> L7: s = s + 8;
            L7 -> L8: n = n - 1;
            L8 -> L3: assume(n > 0);
            L8 -> L9: assume(n <= 0);
            L2 -> L3: assume(tmp__1 == 0);
            L2 -> L4: assume(tmp__1 == 3);
            L2 -> L6: assume(tmp__1 >= 1 && tmp__1 <= 2);
            L2 -> L10: assume(tmp__1 != 0);
            L10 -> L11: assume(tmp__1 != 3);
            L11 -> L5: assume(tmp__1 < 1 || tmp__1 > 2);
            L9 -> L12: ret__ = s;
        "#]],
    );
}

#[test]
fn goto_into_blocks() {
    check(
        "int f(int n) { int s = 0; if (n > 2) goto in; for (; n < 3; n++) { int y = 1; in: y = n; s += y; if (s > 9) goto out; } { out: ; } return s; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: s = 0;
            L1 -> L2: assume(n > 2);
            L1 -> L3: assume(n <= 2);
            L3* -> L4: assume(n < 3);
            L3* -> L5: assume(n >= 3);
            L4 -> L2: y = 1;
            L2 -> L6: y = n;
            L6 -> L7: s = s + y;
            L7 -> L5: assume(s > 9);
            L7 -> L8: assume(s <= 9);
            L8 -> L3: n = n + 1;
            L5 -> L9: ret__ = s;
        "#]],
    );
}

#[test]
fn local_statics() {
    check(
        "int g = 4; int f(void) { static int n = 3, *p = &g; static char b[3]; { static int n; n++; } return n++ + *p + b[1]; }",
        &["f", "start__"],
        "",
        &expect![[r#"
            L0 -> L1: g = 4;
            L1 -> L2: f__n = 3;
            L2 -> L3: f__p = &g;
            L3 -> L4: f__b[0] = 0;
            L4 -> L5: f__b[1] = 0;
            L5 -> L6: f__b[2] = 0;
            L6 -> L7: f__n__2 = 0;
            L7 -> L8: main();
            L0 -> L1: f__n__2 = f__n__2 + 1;
            L1 -> L2: tmp__1 = f__n;
            L2 -> L3: f__n = f__n + 1;
            L3 -> L4: ret__ = tmp__1 + *f__p + f__b[1];
        "#]],
    );
}

#[test]
fn enumerations() {
    check(
        "enum e { A, B = 5, C, D = -1 }; enum u { E = 1 }; enum w { F = 0x100000000 }; enum b : unsigned char { G = 255 }; \
         int f(enum e x, enum u y, enum b z) { enum e t = C; z++; return (x < D) + (y - 2 > 0) + sizeof(F) + t + z; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: t = 6;
            L1 -> L2: z = (unsigned char) (z + 1);
            L2 -> L3: ret__ = (int) ((unsigned long) ((x < -1) + (y - 2 > 0)) + 8 + t + z);
        "#]],
    );
}

#[test]
fn composite_types() {
    check(
        "extern int a[]; int f(); int (*g)(); int sized(void) { extern int a[4]; return sizeof a; } \
         int f(char c) { return f(300) + a[1] + sizeof a + g(c); } int a[4]; int g2(int (*)[], int (*)()); int g2(int (*)[3], int (*)(double));",
        &["f"],
        "sized(); (void) &g2;",
        &expect![[r#"
            L0 -> L1: tmp__1 = f(44);
            L1 -> L2: tmp__2 = (unsigned long) (tmp__1 + a[1]) + 16;
            L2 -> L3: tmp__3 = (*g)((int) c);
            L3 -> L4: ret__ = (int) (tmp__2 + tmp__3);
        "#]],
    );
}

#[test]
fn assembler_code() {
    check(
        "int g; int f(int n, int *p) { int r; asm(\"nop\"); asm volatile(\"\" : : : \"memory\"); asm(\"add %1, %0\" : \"=r\"(r), \"+m\"(*p) : \"r\"(n) : \"cc\"); return r + n; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: havoc(r, uninit);
            L1 -> L2: asm(str__1);
            L2 -> L3: havoc(r, unmodelled "asm");
            L3 -> L4: havoc(*p, unmodelled "asm");
            L4 -> L5: ret__ = r + n;
        "#]],
    );
}

#[test]
fn control_flow_in_expressions() {
    check(
        "int h(int); int f(int a, int b) { int c = a && h(b) || !b, d = a ? b : h(a); c += (a, b) ?: d; return a++ - --b * (c ?: 2); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: assume(a != 0);
            L0 -> L2: assume(a == 0);
            L1 -> L3: tmp__1 = h(b);
            L3 -> L4: assume(tmp__1 != 0);
            L3 -> L2: assume(tmp__1 == 0);
            L4 -> L5: tmp__2 = 1;
            L2 -> L5: tmp__2 = 0;
            L5 -> L6: c = tmp__2 != 0 || b == 0;
            L6 -> L7: assume(a != 0);
            L6 -> L8: assume(a == 0);
            L8 -> L9: tmp__3 = h(a);
            L7 -> L10: d = b;
            L9 -> L10: d = tmp__3;
            L10 -> L11: tmp__4 = b;
            L11 -> L12: assume(tmp__4 != 0);
            L11 -> L13: assume(tmp__4 == 0);
            L12 -> L14: tmp__5 = tmp__4;
            L13 -> L14: tmp__5 = d;
            L14 -> L15: c = c + tmp__5;
            L15 -> L16: tmp__6 = a;
            L16 -> L17: a = a + 1;
            L17 -> L18: b = b - 1;
            L18 -> L19: tmp__7 = c;
            L19 -> L20: assume(tmp__7 != 0);
            L19 -> L21: assume(tmp__7 == 0);
            L20 -> L22: tmp__8 = tmp__7;
            L21 -> L22: tmp__8 = 2;
            L22 -> L23: ret__ = tmp__6 - b * tmp__8;
        "#]],
    );
}

#[test]
fn lvalues_of_every_kind() {
    check(
        "struct s { int x : 4; struct { int y; }; struct s *n; int a[2][2]; } *p; int m[3][4]; \
         int f(int i) { p->n->a[i][1] = p->y; (*p).x++; *(&m[1][0] + i) = 2[m[i]]; *&i = 3; (&m[i])[1][2] += 4; p->n++->y = 5; return (*p->n).x; }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: p->n->a[i][1] = p->y;
            L1 -> L2: p->x = (_BitInt(4)) (p->x + 1);
            L2 -> L3: m[1][i] = m[i][2];
            L3 -> L4: i = 3;
            L4 -> L5: (&m[i])[1][2] = (&m[i])[1][2] + 4;
            L5 -> L6: tmp__1 = p->n;
            L6 -> L7: p->n = p->n + 1;
            L7 -> L8: tmp__1->y = 5;
            L8 -> L9: ret__ = (int) p->n->x;
        "#]],
    );
}

#[test]
fn functions_as_values() {
    check(
        "int inc(int x) { return x + 1; } int (*pick(int n))(int) { return n ? inc : 0; } int ap(int g(int), int x) { return g(x); } \
         int f(int n) { int (*p)(int) = &inc, (*t[2])(int) = { inc, *p }; return p(n) + (**t[1])(2) + pick(n)(3) + ap(inc, 4) + (p == inc); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: p = &inc;
            L1 -> L2: t[0] = &inc;
            L2 -> L3: t[1] = p;
            L3 -> L4: tmp__1 = (*p)(n);
            L4 -> L5: tmp__2 = (*t[1])(2);
            L5 -> L6: tmp__3 = pick(n);
            L6 -> L7: tmp__4 = (*tmp__3)(3);
            L7 -> L8: tmp__5 = ap(&inc, 4);
            L8 -> L9: ret__ = tmp__1 + tmp__2 + tmp__4 + tmp__5 + (p == &inc);
        "#]],
    );
}

#[test]
fn records_as_values() {
    check(
        "struct s { int a; char b[3]; union { int i; float f; } u; } g; struct s mk(int n) { struct s r = { n }; return r; } int use(struct s v); \
         int f(int n) { struct s x = mk(1), y; y = n ? x : g; g = mk(2); return use(y) + mk(3).a + (x = y).a; }",
        &["f", "mk"],
        "",
        &expect![[r#"
            L0 -> L1: mk(&x, 1);
            L1 -> L2: assume(n != 0);
            L1 -> L3: assume(n == 0);
            L2 -> L4: tmp__1.a = x.a;
            L4 -> L5: memmove(&tmp__1.b, &x.b, 3ul);
            L5 -> L6: memmove(&tmp__1.u, &x.u, 4ul);
            L3 -> L7: tmp__1.a = g.a;
            L7 -> L8: memmove(&tmp__1.b, &g.b, 3ul);
            L8 -> L6: memmove(&tmp__1.u, &g.u, 4ul);
            L6 -> L9: y.a = tmp__1.a;
            L9 -> L10: memmove(&y.b, &tmp__1.b, 3ul);
            L10 -> L11: memmove(&y.u, &tmp__1.u, 4ul);
            L11 -> L12: mk(&tmp__2, 2);
            L12 -> L13: g.a = tmp__2.a;
            L13 -> L14: memmove(&g.b, &tmp__2.b, 3ul);
            L14 -> L15: memmove(&g.u, &tmp__2.u, 4ul);
            L15 -> L16: skip;
            L16 -> L17: tmp__3 = use(&y);
            L17 -> L18: mk(&tmp__4, 3);
            L18 -> L19: x.a = y.a;
            L19 -> L20: memmove(&x.b, &y.b, 3ul);
            L20 -> L21: memmove(&x.u, &y.u, 4ul);
            L21 -> L22: tmp__5.a = x.a;
            L22 -> L23: memmove(&tmp__5.b, &x.b, 3ul);
            L23 -> L24: memmove(&tmp__5.u, &x.u, 4ul);
            L24 -> L25: ret__ = tmp__3 + tmp__4.a + tmp__5.a;
            L0 -> L1: memset(&r, 0, 12ul);
            L1 -> L2: r.a = n;
            L2 -> L3: ret__ptr->a = r.a;
            L3 -> L4: memmove(&ret__ptr->b, &r.b, 3ul);
            L4 -> L5: memmove(&ret__ptr->u, &r.u, 4ul);
        "#]],
    );
}

#[test]
fn integer_conversions() {
    check(
        "long f(char c, unsigned char u, short s, unsigned n, long l, _Bool b) { b = n; c = l; u += s; n = -1; l = n; s = u << 9; c >>= 1; \
         return c + u * s - n + l + b + (n < s) + (c == u) + (unsigned char) l + ~u + !l + (l ? c : n); }",
        &["f"],
        "",
        &expect![[r#"
            L0 -> L1: b = (_Bool) (n != 0);
            L1 -> L2: c = (char) l;
            L2 -> L3: u = (unsigned char) (u + s);
            L3 -> L4: n = 4294967295;
            L4 -> L5: l = (long) n;
            L5 -> L6: s = (short) (u << 9);
            L6 -> L7: c = (char) (c >> 1);
            L7 -> L8: assume(l != 0);
            L7 -> L9: assume(l == 0);
            L8 -> L10: tmp__1 = (unsigned int) c;
            L9 -> L10: tmp__1 = n;
            L10 -> L11: ret__ = c + u * s - n + l + b + (n < s) + (c == u) + (unsigned char) l + ~u + (l == 0) + tmp__1;
        "#]],
    );
}
