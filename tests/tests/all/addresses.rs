//! Comparisons of addresses that C leaves open (C11 6.5.8, 6.5.9, 6.4.5p7, 6.2.4p2).

fn verdict(name: &str, text: &str) -> String {
    let start =
        "#include <stdlib.h>\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    let path = testing::file(&format!("{name}.c"), format!("{start}{text}\n"));
    let run = tests::slam(&["check", "--time-limit", "60s", &path]);
    let verdict = run.verdict();
    verdict.split(['(', ' ']).next().unwrap_or(verdict).to_owned()
}

/// The verdicts when the condition is an error, and when its negation is.
fn both(name: &str, before: &str, condition: &str) -> [String; 2] {
    ["", "!"].map(|not| {
        let text = format!(
            "int a, b, t[4]; int main(void) {{ {before} if ({not}({condition})) reach_error(); return 0; }}"
        );
        verdict(name, &text)
    })
}

const OPEN: [&str; 2] = ["UNSAFE", "UNSAFE"];
const TRUE: [&str; 2] = ["UNSAFE", "SAFE"];
const FALSE: [&str; 2] = ["SAFE", "UNSAFE"];

#[test]
fn one_past_the_end() {
    assert_eq!(both("past", "int *p = &a + 1;", "p == &b"), OPEN);
    assert_eq!(both("past_ne", "int *p = &a + 1, *q = &b;", "p != q"), OPEN);
    assert_eq!(both("starts", "int *p = &a, *q = &b;", "p == q"), FALSE);
    assert_eq!(both("own", "int *p = t, *q = t + 4;", "p == q"), FALSE);
    assert_eq!(both("own_end", "int *p = t + 3; p++;", "p == t + 4"), TRUE);
    assert_eq!(both("null", "int *p = &a + 1;", "p == NULL"), FALSE);
}

#[test]
fn relations_between_objects() {
    assert_eq!(both("less", "int *p = &a, *q = &b;", "p < q"), OPEN);
    assert_eq!(both("less_inside", "int *p = t, *q = t + 2;", "p < q"), TRUE);
}

#[test]
fn equal_string_literals() {
    assert_eq!(both("strings", "const char *p = \"abc\", *q = \"abc\";", "p == q"), OPEN);
    assert_eq!(both("other_strings", "const char *p = \"abc\", *q = \"abd\";", "p == q"), FALSE);
    assert_eq!(both("one_string", "const char *p = \"abc\", *q = p;", "p == q"), TRUE);
}

#[test]
fn freed_blocks() {
    let blocks = "int *p = malloc(4); if (!p) return 0; free(p); int *q = malloc(4); if (!q) return 0;";
    assert_eq!(both("freed", blocks, "p == q"), OPEN);
    let living = "int *p = malloc(4); if (!p) return 0; int *q = malloc(4); if (!q) return 0;";
    assert_eq!(both("living", living, "p == q"), FALSE);
}

#[test]
fn ordinary_loops_and_lists_stay_exact() {
    let walk = "int sum(int *p, int n) { int *end = p + n, k = 0; for (; p != end; p++) k++; return k; }\n\
                int x[3], y[2]; int main(void) { if (sum(x, 3) != 3 || sum(y, 2) != 2) reach_error(); return 0; }";
    assert_eq!(verdict("walk", walk), "SAFE");
    let list = "struct n { struct n *next; }; int main(void) {\n\
                struct n *h = malloc(sizeof *h), *p = malloc(sizeof *p); if (!h || !p) return 0;\n\
                h->next = p; p->next = h; if (p == h || h->next->next != h) reach_error(); return 0; }";
    assert_eq!(verdict("list", list), "SAFE");
}

/// The verdict of a program with `uintptr_t`, whose checks are assertions.
fn of_numbers(name: &str, options: &[&str], text: &str) -> String {
    let start = "#include <assert.h>\n#include <stdint.h>\n#include <stdlib.h>\nextern unsigned long __VERIFIER_nondet_ulong(void);\n";
    let path = testing::file(&format!("{name}.c"), format!("{start}{text}\n"));
    let run = tests::slam(&[&["check", "--time-limit", "20s", &path], options].concat());
    let verdict = run.verdict();
    verdict.split(['(', ' ']).next().unwrap_or(verdict).to_owned()
}

#[test]
fn numbers_of_addresses_lead_back() {
    let safe = [
        (
            "whole",
            "int x = 7; int main(void) { uintptr_t u = (uintptr_t)&x; int *p = (int *)u; *p = 8; assert(x == 8); }",
        ),
        (
            "moved",
            "struct { char c; int y; } s; int main(void) { uintptr_t u = (uintptr_t)&s.c; u += 4; *(int *)u = 3; assert(s.y == 3); }",
        ),
        (
            "back",
            "int x; int main(void) { uintptr_t u = (uintptr_t)&x; u += 800; u -= 800; *(int *)u = 3; assert(x == 3); }",
        ),
        ("aligned", "double d; int main(void) { assert((uintptr_t)&d % 8 == 0); }"),
        ("apart", "int x, y; int main(void) { assert((uintptr_t)&x != (uintptr_t)&y); }"),
        ("distance", "int t[4]; int main(void) { assert((uintptr_t)&t[3] - (uintptr_t)&t[1] == 8); }"),
    ];
    for (name, text) in safe {
        let options: &[&str] = if name == "moved" { &[] } else { &["--check", "reach,null,bounds,free"] };
        assert_eq!(of_numbers(name, options, text), "SAFE", "{name}");
    }
    let unsafe_ = [
        (
            "written",
            "int x = 7; int main(void) { uintptr_t u = (uintptr_t)&x; *(int *)u = 8; assert(x == 7); }",
        ),
        ("odd", "int x; int main(void) { assert((uintptr_t)&x % 8 == 0); }"),
        (
            "exclusive",
            "int x, y; int main(void) { uintptr_t z = (uintptr_t)&x ^ (uintptr_t)&y; *(int *)(z ^ (uintptr_t)&x) = 5; assert(y != 5); }",
        ),
    ];
    for (name, text) in unsafe_ {
        assert_eq!(of_numbers(name, &[], text), "UNSAFE", "{name}");
    }
}

/// What need not live at the same time, or only touches, may have one number.
#[test]
fn equal_numbers_are_not_excluded() {
    let open = [
        (
            "calls",
            "uintptr_t f(void) { int x = 1; return (uintptr_t)&x; } uintptr_t g(void) { int y = 2; return (uintptr_t)&y; } int main(void) { uintptr_t a = f(), b = g(); assert(a != b); }",
        ),
        (
            "blocks",
            "int main(void) { uintptr_t a, b; { int x = 1; a = (uintptr_t)&x; } { int y = 2; b = (uintptr_t)&y; } assert(a != b); }",
        ),
        (
            "freed",
            "int main(void) { void *p = malloc(8); uintptr_t a = (uintptr_t)p; free(p); void *q = malloc(8); if (!p || !q) return 1; uintptr_t b = (uintptr_t)q; assert(a != b); }",
        ),
        (
            "touching",
            "int x, y; int main(void) { uintptr_t a = (uintptr_t)(&x + 1), b = (uintptr_t)&y; assert(a != b); }",
        ),
        ("any", "int x; int main(void) { assert((uintptr_t)&x != __VERIFIER_nondet_ulong() * 4); }"),
    ];
    for (name, text) in open {
        assert_ne!(of_numbers(name, &[], text), "SAFE", "{name}");
    }
}

/// What is known of alignment (C11 6.2.8), and no more.
#[test]
fn alignment_is_a_fact_about_addresses() {
    let declared = "_Alignas(64) int aligned; char bytes[100] __attribute__((aligned(64))), plain[20]; \
                    struct __attribute__((aligned(16))) wide { char c; } wide; struct __attribute__((packed)) tight { char c; int i; } tight; \
                    typedef int low __attribute__((aligned(1))); low loose; long natural; struct { char c; short s; } pair;\n";
    let multiple = |what: &str, of: u32| format!("assert((uintptr_t){what} % {of} == 0);");
    let cases = [
        ("SAFE", "&aligned", 64),
        ("UNSAFE", "&aligned", 128),
        ("SAFE", "bytes", 64),
        ("SAFE", "&wide", 16),
        ("UNSAFE", "&tight.i", 4),
        ("UNSAFE", "&loose", 2),
        ("SAFE", "&natural", 8),
        ("SAFE", "&pair.s", 2),
        ("UNSAFE", "plain", 2),
    ];
    for (n, (verdict, what, of)) in cases.iter().enumerate() {
        let text = format!("{declared} int main(void) {{ {} }}", multiple(what, *of));
        assert_eq!(of_numbers(&format!("global_{n}"), &[], &text), *verdict, "{what}, {of}");
    }
    let local =
        |declaration: &str, of: u32| format!("int main(void) {{ {declaration}; {} }}", multiple("&x", of));
    assert_eq!(of_numbers("local", &[], &local("char d; _Alignas(32) char x", 32)), "SAFE");
    assert_eq!(of_numbers("local_more", &[], &local("_Alignas(32) char x", 64)), "UNSAFE");
    assert_eq!(of_numbers("static", &[], &local("static char x __attribute__((aligned(32)))", 32)), "SAFE");
    assert_eq!(
        of_numbers(
            "literal_below",
            &[],
            "typedef int low __attribute__((aligned(1))); int main(void) { low *p = &(low){ 1 }; assert((uintptr_t)p % 4 == 0); }"
        ),
        "UNSAFE"
    );
}

#[test]
fn allocations_are_aligned() {
    let head = "#include <malloc.h>\n";
    let of = |name: &str, allocation: &str, what: &str, of: u32| {
        let text = format!(
            "{head}int main(void) {{ {allocation} if (!p) return 0; assert((uintptr_t)({what}) % {of} == 0); free(p); }}"
        );
        of_numbers(name, &[], &text)
    };
    assert_eq!(of("malloc", "char *p = malloc(3);", "p", 16), "SAFE");
    assert_eq!(of("malloc_more", "char *p = malloc(3);", "p", 32), "UNSAFE");
    assert_eq!(of("moved", "int *p = malloc(40);", "p + 4", 16), "SAFE");
    assert_eq!(of("element", "int *p = malloc(40);", "&p[2]", 16), "UNSAFE");
    assert_eq!(of("aligned_alloc", "char *p = aligned_alloc(64, 64);", "p", 64), "SAFE");
    assert_eq!(of("aligned_more", "char *p = aligned_alloc(64, 64);", "p", 128), "UNSAFE");
    assert_eq!(of("memalign", "char *p = memalign(256, 3);", "p", 256), "SAFE");
    assert_eq!(of("posix", "void *p; if (posix_memalign(&p, 64, 64)) return 0;", "p", 64), "SAFE");
    assert_eq!(of("posix_more", "void *p; if (posix_memalign(&p, 64, 64)) return 0;", "p", 128), "UNSAFE");
    assert_eq!(of("valloc", "char *p = valloc(5);", "p", 4096), "SAFE");
}

/// Nothing is larger than the addresses of the data model allow, and what is not is allocated (`malloc` of glibc).
#[test]
fn objects_are_no_larger_than_addresses_allow() {
    let head = "extern unsigned __VERIFIER_nondet_uint(void);\n";
    let check =
        |name: &str, options: &[&str], text: &str| of_numbers(name, options, &format!("{head}{text}"));
    let bounds = ["--check", "only:bounds"];
    let any = |than: &str| {
        format!(
            "int main(void) {{ size_t n = __VERIFIER_nondet_ulong(), i = __VERIFIER_nondet_ulong(); char *p = malloc(n); \
             if (p && i {than} n) p[i] = 0; return 0; }}"
        )
    };
    assert_eq!(check("huge", &bounds, &any("<")), "SAFE");
    assert_eq!(check("huge_broken", &bounds, &any("<=")), "UNSAFE");
    let small = ["--check", "only:bounds", "--data-model", "ILP32"];
    let ints = |last: &str| {
        format!(
            "int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); if (n == 0 || n > SIZE_MAX / sizeof(int)) return 0; \
             int *p = malloc(n * sizeof *p); if (!p) return 0; p[{last}] = 1; return 0; }}"
        )
    };
    assert_eq!(check("half", &small, &ints("n - 1")), "SAFE");
    assert_eq!(check("half_broken", &small, &ints("n")), "UNSAFE");
    let never = ["--malloc-may-fail", "no"];
    let impossible = "int main(void) { size_t n = __VERIFIER_nondet_ulong(); char *p = malloc(n), *q = calloc(n, 2); \
                      assert(p || n > PTRDIFF_MAX / 256); assert(q || n > PTRDIFF_MAX / 512); assert(malloc(SIZE_MAX) == 0); return 0; }";
    assert_eq!(check("never", &never, impossible), "SAFE");
    let fails = "int main(void) { char *p = malloc(__VERIFIER_nondet_ulong()); assert(p); return 0; }";
    assert_eq!(check("fails", &never, fails), "UNSAFE");
}

/// C11 6.4.5p7: compilers put literals together where one is the end of the other one.
#[test]
fn ends_of_string_literals_may_be_shared() {
    let tail = "const char *p = \"abc\", *q = \"xabc\" + 1;";
    assert_eq!(both("tail", tail, "p == q"), OPEN);
    assert_eq!(both("tail_moved", "const char *p = \"abc\", *q = \"xabc\"; q++;", "p == q"), OPEN);
    assert_eq!(both("literal_starts", "const char *p = \"abc\", *q = \"xabc\";", "p == q"), FALSE);
    assert_eq!(both("no_tail", "const char *p = \"abd\", *q = \"xabc\" + 1;", "p == q"), FALSE);
    let beginning = both("beginning", "const char *p = \"abc\", *q = \"abc\\0x\";", "p == q");
    assert_ne!(beginning[0], "SAFE", "C leaves it open");
    let numbers = "int main(void) { const char *p = \"abc\", *q = \"xabc\"; uintptr_t u = (uintptr_t)p, v = (uintptr_t)(q + 1); assert((u ^ 1) != (v ^ 1)); }";
    assert_ne!(of_numbers("numbers_of_literals", &[], numbers), "SAFE", "they may be equal");
}

/// C11 6.7.9p10.
#[test]
fn padding_of_static_objects_is_zero() {
    let head = "#include <string.h>\nstruct s { char c; int i; }; static struct s a, b, c = { 1, 2 }, d = { 1, 2 };\n";
    let of = |name: &str, body: &str| of_numbers(name, &[], &format!("{head}int main(void) {{ {body} }}"));
    assert_ne!(of("zeros", "assert(memcmp(&a, &b, sizeof a) == 0);"), "UNSAFE");
    assert_ne!(of("given", "assert(memcmp(&c, &d, sizeof a) == 0);"), "UNSAFE");
    assert_eq!(of("byte", "unsigned char *p = (unsigned char *)&a; assert(p[1] == 0);"), "SAFE");
    assert_eq!(
        of("byte_broken", "unsigned char *p = (unsigned char *)&c; assert(p[1] + p[4] != 2);"),
        "UNSAFE"
    );
}
