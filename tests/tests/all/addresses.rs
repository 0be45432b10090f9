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
