//! What real projects and the headers of compilers write beside C's core, in small: the compiler and the interpreter agree
//! on what a program answers, and what is not modelled ends in a check that says so.

use crate::common::{Gap, compiled, edges_of, interpret, load_named, load_with, render};
use cfront::Options;
use expect_test::{Expect, expect};
use ir::CheckKind;
use testing::Scratch;

/// The program's exit code, ours and the compiler's.
fn agree(text: &str) {
    let scratch = Scratch::new();
    let file = scratch.file("a.c", format!("{text}\n"));
    let native = compiled(&file, &[]).expect("the program ends");
    match interpret(&file, &Options::default(), 100_000) {
        Ok(shown) => assert_eq!(shown, native, "{text}"),
        Err(gap) => panic!("{text}: {gap:?}"),
    }
}

/// The program is read, and its execution gets to something that is not modelled.
fn reaches(text: &str, what: &str) {
    let scratch = Scratch::new();
    let file = scratch.file("a.c", format!("{text}\n"));
    match interpret(&file, &Options::default(), 100_000) {
        Err(Gap::Refused(why)) => assert!(why.contains(what), "{text}: {why}"),
        other => panic!("{text}: {other:?}"),
    }
}

fn warnings(text: &str) -> Vec<String> {
    let options = Options { need_checks: false, ..Options::default() };
    load_with(text, &options).warnings.iter().map(|w| w.message.clone()).collect()
}

fn refused(text: &str, expect: &Expect) {
    let options = Options { need_checks: false, ..Options::default() };
    let failure = load_named("a.i", &format!("{text}\n"), &options).expect_err("it is refused");
    expect.assert_eq(&render(&failure));
}

#[test]
fn constants_that_overflow_are_the_compilers() {
    agree(
        "enum flags { A = 1 << 31, B = -1 << 3, C = 2147483647 + 1 }; _Static_assert(A < 0 && B == -8, \"\"); \
         static char room[(__int128) 1 << 70 >> 67]; \
         int main(void) { enum flags f = A; switch (f) { case 1 << 31: return sizeof room + (f == C); default: return 0; } }",
    );
    assert_eq!(
        warnings("enum e { A = 1 << 31 }; int main(void) { return A == 0; }"),
        ["the constant expression overflows; its value is the compiler's"]
    );
    // Values computed at run time stay undefined.
    let program = load_with(
        "void assert(int); int main(void) { int x = 2147483647 + 1; assert(x); return 0; }",
        &Options::default(),
    )
    .program;
    assert!(edges_of(&program, &["main"]).contains("2147483647 + 1"));
    refused(
        "enum e { A = (-2147483647 - 1) / -1 }; int main(void) { return A; }",
        &expect![[r#"
            ERROR(type)
            a.i:1:14: error: an integer constant expression is needed here
                1 | enum e { A = (-2147483647 - 1) / -1 }; int main(void) { return A; }
                  |              ^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn the_smallest_number_by_minus_one_traps_where_sums_wrap() {
    let text = "void assert(int); int main(void) { int x = (-2147483647 - 1) / -1; assert(x); return 0; }";
    let program = load_with(text, &Options { signed_wrap: true, ..Options::default() }).program;
    assert!(edges_of(&program, &["main"]).contains("/ -1"), "{}", edges_of(&program, &["main"]));
}

#[test]
fn constants_of_128_bits() {
    agree(
        "typedef unsigned __int128 u; typedef __int128 s; \
         _Static_assert((long long) (((u) 0xA1234567B8901234ULL << 64) + 0xC5678901D2345678ULL) == \
           (long long) 0xC5678901D2345678ULL, \"\"); \
         _Static_assert((s) (((u) 0xB1234567C8901234ULL << 64) + 0xD5678901E2345678ULL) == \
           (s) (-(s) 0x8E1648B3F50E80DCULL * 0x8E1648B3F50E80DDULL + 0x5EA688D5482F9464ULL), \"\"); \
         _Static_assert(((s) ((u) 0xCD83ULL << 112) >> 112) < 0 && ~(u) 0 > 5 && (u) -1 / 3 > 7, \"\"); \
         enum { E = (int) (~(u) 0 >> 126) }; int main(void) { return E; }",
    );
}

const VECTORS: &str = "typedef int v4 __attribute__((vector_size(16))); typedef short v8 __attribute__((__vector_size__(16), __may_alias__)); \
     typedef float f4 __attribute__((vector_size(16), aligned(1))); union u { v4 v; int i[4]; char c[16]; }; \
     struct s { char c; v4 v; }; ";

#[test]
fn vectors_are_values() {
    let with = |text: &str| agree(&format!("{VECTORS}{text}"));
    with(
        "int main(void) { return sizeof(v4) + _Alignof(v4) + sizeof(struct s) + _Alignof(struct s) + _Alignof(f4); }",
    );
    with(
        "static v4 pass(v4 a, int n) { a[n] += 3; return a; } \
          int main(void) { v4 a = { 1, 2, 3 }, b = a; b = pass(a, 2); return a[2] + 10 * b[2] + b[3]; }",
    );
    with(
        "int main(void) { union u x; x.v = (v4) { 5, 6, 7, 8 }; struct s t = { 1, x.v }, *p = &t; \
          v4 *q = &p->v, w[2] = { x.v, { 1 } }; return x.i[2] + (*q)[3] + w[1][0] + w[0][1] + (x.c[0] ? (*q)[0] : 0); }",
    );
    with("int main(void) { v4 a = { 0x20001, 3 }; v8 b = (v8) a; return b[0] + 10 * b[1] + 100 * b[2]; }");
    with(
        "static int next(int *n) { return ++*n; } int main(void) { int n = 0; v4 v = { 1, 2, 3, 4 }; v[next(&n)] += v[0]; \
          v[0] = v[1] + v[2]++; return v[0] + v[2] * 8; }",
    );
}

#[test]
fn what_is_computed_with_vectors_is_refused_where_it_is_reached() {
    let ends =
        |text: &str| reaches(&format!("{VECTORS}{text}"), "operations on vector types are not supported");
    ends("int n; int main(void) { v4 a = { 1 }, b = { 2 }; if (n == 0) a = a + b; return a[0]; }");
    ends("int n; int main(void) { v4 a = { 1 }; if (n == 0) a += a; return a[0]; }");
    ends("int n; int main(void) { v4 a = { 1 }; if (n == 0) a = -a; return a[0]; }");
    ends(
        "int n; int main(void) { v4 a = { 1 }; if (n == 0) { v4 w[2] = { a + a, a }; return w[0][0]; } return 0; }",
    );
    agree(&format!("{VECTORS}int n; int main(void) {{ v4 a = {{ 1 }}; if (n) a = a * a; return a[0]; }}"));
}

#[test]
fn headers_of_vector_intrinsics_are_read() {
    let text = "#include <immintrin.h>\nint main(void) { __m128i x = _mm_setr_epi32(1, 2, 3, 4), y; \
        _mm_storeu_si128((__m128i_u *) &y, x); int n[4]; _mm_storeu_si128((__m128i_u *) n, y); return n[2]; }";
    agree(text);
    let text = "#include <emmintrin.h>\nint n; int main(void) { __m128i x = _mm_set1_epi32(1); if (n == 0) x = _mm_add_epi32(x, x); return ((int *) &x)[0]; }";
    reaches(text, "operations on vector types are not supported");
}

#[test]
fn complex_numbers_are_declared_and_copied() {
    agree(
        "#include <complex.h>\nstruct s { char c; double complex z; float _Complex f; _Complex t; }; \
         double complex f(double complex z); static double complex same(double complex z) { return z; } \
         int main(void) { double complex a, b; double *p = (double *) &a; p[0] = 3; p[1] = 4; b = same(a); \
           struct s s = { 1, b }; return sizeof(struct s) + ((double *) &s.z)[1] + sizeof(float _Complex) + _Alignof(long double complex); }",
    );
    let text =
        "int n; int main(void) { double _Complex a; ((double *) &a)[0] = 1; if (n == 0) BODY; return 0; }";
    for body in ["a = a * a", "a = 1.0", "n = a == a", "{ double _Complex w[2] = { 1.0, a }; n = sizeof w; }"]
    {
        reaches(&text.replace("BODY", body), "operations on complex numbers are not supported");
    }
}

/// The start procedure and the checks of a program that reads unknown objects.
fn unknown(text: &str, expect: &Expect) {
    let program = load_with(text, &Options::default()).program;
    expect.assert_eq(&edges_of(&program, &["start__"]));
    assert!(program.checks.iter().all(|c| c.kind != CheckKind::Unmodelled));
}

#[test]
fn objects_that_are_defined_nowhere_hold_anything() {
    unknown(
        "void assert(int); struct s { struct s *next; char name[9]; struct { int n; char *text; } many[2000]; }; \
         extern struct s this; int main(void) { assert(this.next == 0 || this.many[7].n); return 0; }",
        &expect![[r#"
            L0 -> L1: this(&this);
            L1 -> L2: main();
        "#]],
    );
    unknown(
        "void assert(int); extern const char *const names[]; extern int numbers[]; int main(void) { assert(names[3] && numbers[4] == *numbers); return 0; }",
        &expect![[r#"
            L0 -> L1: names(&names);
            L1 -> L2: numbers(&numbers);
            L2 -> L3: main();
        "#]],
    );
    // The length stays that of the definition where there is one.
    agree(
        "extern int a[]; int first(void) { return a[1]; } int a[3] = { 1, 2, 3 }; int main(void) { return first() + sizeof a; }",
    );
}

#[test]
fn constructors_run_before_main_and_destructors_at_the_end() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint n; static void say(const char *s) { puts(s); n++; } \
         __attribute__((constructor)) static void first(void) { say(\"first\"); } \
         static void second(void) __attribute__((constructor(200))); static void second(void) { say(\"second\"); } \
         __attribute__((constructor(150), destructor)) void third(void) { say(\"third\"); } \
         __attribute__((destructor(101))) void last(void) { say(\"last\"); } \
         static void handler(void) { say(\"handler\"); } \
         int main(void) { atexit(handler); say(\"main\"); END }";
    for end in ["return n;", "exit(n + 1);", "_Exit(n + 2);"] {
        let text = text.replace("END", end);
        agree(&if end.starts_with('_') { text.replace("puts(s)", "(void) s") } else { text });
    }
    assert_eq!(
        warnings(
            "__attribute__((constructor)) void a(void) { } __attribute__((constructor)) void b(void) { } int main(void) { return 0; }"
        ),
        [
            "the order in which `a` and this constructor run is open; they are taken in the order of their definitions"
        ]
    );
    // A function of the entry's file alone does not run.
    agree(
        "int n; void f(void) { n = 1; } void g(void) __attribute__((constructor)); void g(void) { n += 2; } int main(void) { return n; }",
    );
}

#[test]
fn one_line_with_macros_defines_several_structs() {
    agree(
        "#define M(n) struct { int a; } n\n#define T(A, B) typedef struct { int x; } A; typedef struct { char y; } B\n\
         M(x); M(y); T(P, Q);\nint main(void) { x.a = 3; y.a = 4; return x.a + y.a + sizeof(P) + sizeof(Q); }",
    );
}
