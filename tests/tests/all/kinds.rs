//! The kinds of checks for undefined behaviour that C leaves to the objects, functions and values themselves: `readonly`,
//! `overlap`, `noreturn`, `order`, `convert`. Each row has a program that is in order and one that is not.

const INCLUDES: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern double __VERIFIER_nondet_double(void);\n\
    extern unsigned __VERIFIER_nondet_uint(void);\n#define nd __VERIFIER_nondet_int\n";

fn verdict(name: &str, check: &str, program: &str) -> String {
    let main = if program.contains("main(") { "" } else { "int main(void) {" };
    let end = if main.is_empty() { "" } else { "return 0; }" };
    let file = testing::file(&format!("{name}.c"), format!("{INCLUDES}{main} {program} {end}\n"));
    let run = tests::slam(&["check", "--check", check, "--time-limit", "20s", &file]);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

/// What a caller has, or another call of the same function, has no name here.
#[test]
fn constants_of_other_calls_are_not_written() {
    let rows = [
        (
            "callers",
            "void f(int *p) { *p = 1; } int main(void) { const int c = 1; int d; f(nd() ? &d : (int *)&c); return 0; }",
        ),
        (
            "recursion",
            "void f(int n, int *q) { const int c = n; if (n == 2) { *q = 5; return; } f(n + 1, n == 1 ? (int *)&c : q); }\n\
             int main(void) { int d; f(0, &d); return 0; }",
        ),
        (
            "part",
            "struct S { int a; const int b; }; void f(struct S *p, struct S *q) { memcpy(p, q, sizeof *p); }\n\
             int main(void) { struct S s = {1, 2}, t = {3, 4}; f(&s, &t); return 0; }",
        ),
    ];
    for (name, bad) in rows {
        assert_eq!(verdict(&format!("readonly_{name}"), "readonly", bad), "UNSAFE(readonly)", "{bad}");
    }
}

/// Each row by its own kind and by `all`.
#[track_caller]
fn pairs(kind: &str, rows: &[(&str, &str, &str)]) {
    for (name, good, bad) in rows {
        for check in [kind, "all"] {
            assert_eq!(verdict(&format!("{kind}_{name}_safe"), check, good), "SAFE", "{check}: {good}");
            let found = verdict(&format!("{kind}_{name}_unsafe"), check, bad);
            assert_eq!(found, format!("UNSAFE({kind})"), "{check}: {bad}");
        }
    }
}

#[test]
fn what_is_const_is_not_written() {
    pairs(
        "readonly",
        &[
            ("literal", "char b[] = \"abc\", *p = b; p[0] = 'x';", "char *p = \"abc\"; p[0] = 'x';"),
            (
                "choice",
                "char b[4], *p = nd() ? \"abc\" : b; if (p == b) p[0] = 'x';",
                "char b[4], *p = nd() ? \"abc\" : b; p[0] = 'x';",
            ),
            (
                "by_callee",
                "void f(char *p) { *p = 0; } int main(void) { char b[2]; f(b); return 0; }",
                "void f(char *p) { *p = 0; } int main(void) { char b[2]; f(nd() ? b : \"x\"); return 0; }",
            ),
            ("named", "const int c = nd(); int d = c; d = 4;", "const int c = 1; *(int *)&c = 4;"),
            ("counted", "int c = 1; ++*(int *)&c;", "const int c = 1; ++*(int *)&c;"),
            (
                "global",
                "const int c = 1; int d; int main(void) { int *p = nd() ? &d : (int *)&c; if (p != &c) *p = 2; return 0; }",
                "const int c = 1; int d; int main(void) { int *p = nd() ? &d : (int *)&c; *p = 2; return 0; }",
            ),
            (
                "member",
                "struct S { const int a; int b; } s = {1, 2}; int main(void) { int *p = &s.b; *p = nd(); return 0; }",
                "struct S { const int a; int b; } s = {1, 2}; int main(void) { int *p = (int *)&s.a; *p = 1; return 0; }",
            ),
            (
                "element",
                "struct S { const int a; int b; } s[3] = {{1, 2}}; int main(void) { int *p = &s[2].b; *p = 1; return 0; }",
                "struct S { const int a; int b; } s[3] = {{1, 2}}; int main(void) { int *p = (int *)s; p[4] = 1; return 0; }",
            ),
            (
                "turns",
                "for (int i = 0; i < 3; i++) { const int c = i; const int *p = &c; if (*p > 5) abort(); }",
                "for (int i = 0; i < 3; i++) { const int c = i; int *p = (int *)&c; *p = 1; }",
            ),
            (
                "structure",
                "struct S { int a, b; }; struct S f(void) { struct S s = {1, 2}; return s; }\n\
                 int main(void) { const struct S s = f(); const struct S t = s; return t.a - 1; }",
                "struct S { int a, b; }; struct S f(void) { struct S s = {1, 2}; return s; }\n\
                 int main(void) { const struct S s = f(); ((struct S *)&s)->b = 3; return 0; }",
            ),
            (
                "library",
                "char b[8]; strcpy(b, \"abc\"); b[0] = 'x';",
                "char b[8], *p = nd() ? b : \"uvwxyz\"; strcpy(p, \"abc\");",
            ),
            (
                "block",
                "int b = 1; memset(&b, 0, sizeof b);",
                "const int b = 1; memset((void *)&b, 0, sizeof b);",
            ),
            (
                "input",
                "char b[4]; if (!fgets(b, 4, stdin)) return 1;",
                "char *p = \"abc\"; if (!fgets(p, 4, stdin)) return 1;",
            ),
            (
                "allocated",
                "struct S { const int a; } *p = malloc(sizeof *p); if (!p) return 1; *(int *)&p->a = 1; free(p);",
                "const struct S { int a; } s = {1}; *(int *)&s.a = 1;",
            ),
            (
                "parameter",
                "void f(const int n) { int m = n; m = 2; } int main(void) { f(1); return 0; }",
                "void f(const int n) { *(int *)&n = 2; } int main(void) { f(1); return 0; }",
            ),
        ],
    );
}

#[test]
fn copies_do_not_overlap() {
    pairs(
        "overlap",
        &[
            ("memcpy", "char b[8] = {0}; memcpy(b, b + 4, 4);", "char b[8] = {0}; memcpy(b, b + 3, 4);"),
            ("memmove", "char b[8] = {0}; memmove(b, b + 3, 4);", "char b[8] = {0}; memcpy(b + 3, b, 4);"),
            (
                "counted",
                "char b[8] = {0}; unsigned n = __VERIFIER_nondet_uint(); if (n <= 4) memcpy(b, b + 4, n);",
                "char b[9] = {0}; unsigned n = __VERIFIER_nondet_uint(); if (n <= 5) memcpy(b, b + 4, n);",
            ),
            ("nothing", "char b[8] = {0}; memcpy(b, b, 0);", "char b[8] = {0}; memcpy(b, b, 1);"),
            (
                "two",
                "char a[4] = {0}, b[4] = {0}, *p = nd() ? a : b, *q = p == a ? b : a; memcpy(p, q, 4);",
                "char a[4] = {0}, b[4] = {0}, *p = nd() ? a : b, *q = nd() ? a : b; memcpy(p, q, 4);",
            ),
            (
                "strcpy",
                "char b[16] = \"abcdefg\"; strcpy(b, b + 8);",
                "char b[16] = \"abcdefg\"; strcpy(b, b + 1);",
            ),
            (
                "strcat",
                "char a[9] = \"ab\", b[] = \"cd\"; strcat(a, b);",
                "char a[9] = \"ab\"; strcat(a, a);",
            ),
            (
                "sprintf",
                "char a[9] = \"ab\", b[9]; sprintf(b, \"%s!\", a);",
                "char a[9] = \"ab\"; sprintf(a, \"%s!\", a);",
            ),
            (
                "snprintf",
                "char b[16] = \"abc\", d[16]; snprintf(d, 16, \"%s!\", b);",
                "char b[16] = \"abc\"; snprintf(b, 16, \"%s!\", b);",
            ),
        ],
    );
}

#[test]
fn functions_do_not_return_that_are_declared_not_to() {
    pairs(
        "noreturn",
        &[
            (
                "end",
                "_Noreturn void f(unsigned n) { while (1) n++; } int main(void) { if (nd()) f(0); return 0; }",
                "_Noreturn void f(unsigned n) { while (n < 3) n++; } int main(void) { if (nd()) f(0); return 0; }",
            ),
            (
                "statement",
                "void f(int) __attribute__((noreturn)); void f(int n) { if (n) exit(1); abort(); }\n\
                 int main(void) { f(nd()); return 0; }",
                "void f(int) __attribute__((noreturn)); void f(int n) { if (n) return; abort(); }\n\
                 int main(void) { f(nd()); return 0; }",
            ),
        ],
    );
}

#[test]
fn pointers_into_one_object_are_ordered() {
    pairs(
        "order",
        &[
            (
                "walk",
                "int a[4] = {0}, s = 0; for (int *p = a, *e = a + 4; p < e; p++) s |= *p;",
                "int a[4] = {0}, b[4] = {0}, s = 0; int *e = nd() ? b + 4 : a + 4; for (int *p = a; p < e && p < a + 4; p++) s |= *p;",
            ),
            (
                "difference",
                "int a[4], *p = a + 3; long d = p - a; (void)d;",
                "int a[4], b[4], *p = b; long d = p - a; (void)d;",
            ),
            (
                "allocated",
                "int *p = malloc(16), *q; if (!p) return 1; q = p + 2; if (p < q) *p = 1; free(p);",
                "int *p = malloc(16), *q = malloc(16); if (p && q && p < q) *p = 1; free(p); free(q);",
            ),
            (
                "members",
                "struct { int a, b; } s; int *p = &s.a, *q = &s.b; if (p < q) s.a = 1;",
                "int a, b, *p = &a, *q = &b; if (p < q) a = 1;",
            ),
        ],
    );
}

#[test]
fn floating_point_numbers_fit_their_integers() {
    pairs(
        "convert",
        &[
            (
                "int",
                "double d = __VERIFIER_nondet_double(); if (d > -2147483649.0 && d < 2147483648.0) return (int)d < 0;",
                "double d = __VERIFIER_nondet_double(); if (d >= -2147483649.0 && d < 2147483648.0) return (int)d < 0;",
            ),
            (
                "top",
                "double d = 2147483647.5; int i = d; (void)i;",
                "double d = 2147483648.0; int i = d; (void)i;",
            ),
            (
                "unsigned",
                "double d = -0.5; unsigned u = d; (void)u;",
                "double d = -1.0; unsigned u = d; (void)u;",
            ),
            (
                "single",
                "float f = -2147483648.0f; int i = f; (void)i;",
                "float f = 2147483648.0f; int i = f; (void)i;",
            ),
            (
                "char",
                "double d = 127.9; signed char c = d; (void)c;",
                "double d = 128; signed char c = d; (void)c;",
            ),
            (
                "nan",
                "double z = 1, d = z / 2; long n = d; (void)n;",
                "double z = 0, d = z / z; long n = d; (void)n;",
            ),
            ("truth", "double d = 1e300; _Bool b = d; (void)b;", "double d = 1e300; long b = d; (void)b;"),
        ],
    );
}

/// Only by its name: `all` leaves it out.
#[test]
fn accesses_stay_in_their_array_members() {
    let record = "struct R { char first[16]; long second; } r, *p = &r; (void)p;";
    let rows = [
        ("block", "memset(r.first, 0, sizeof r.first);", "memset(r.first, 0, sizeof r);"),
        ("behind_pointer", "memset(p->first, 0, 16);", "memset(p->first, 0, 17);"),
        (
            "moved",
            "unsigned i = __VERIFIER_nondet_uint(); if (i < 16) memset(r.first + i, 0, 1);",
            "unsigned i = __VERIFIER_nondet_uint(); if (i < 17) memset(r.first + i, 0, 1);",
        ),
        (
            "counted",
            "unsigned n = __VERIFIER_nondet_uint(); if (n <= 16) memset(r.first, 0, n);",
            "unsigned n = __VERIFIER_nondet_uint(); if (n <= 24) memset(r.first, 0, n);",
        ),
        ("whole", "memset(&r, 0, sizeof r);", "memset(r.first + 8, 0, 9);"),
    ];
    for (name, good, bad) in rows {
        assert_eq!(
            verdict(&format!("member_{name}_safe"), "member", &format!("{record} {good}")),
            "SAFE",
            "{good}"
        );
        let found = verdict(&format!("member_{name}_unsafe"), "member", &format!("{record} {bad}"));
        assert_eq!(found, "UNSAFE(member)", "{bad}");
    }
    let stored = format!("{record} char *q = r.first; q[16] = 1;");
    assert_eq!(verdict("member_stored", "member", &stored), "UNKNOWN(not modelled)");
    let near = format!("{record} char *q = r.first; q[15] = 1;");
    assert_eq!(verdict("member_near", "member", &near), "SAFE");
    let all = format!("{record} memset(r.first, 0, sizeof r);");
    assert_eq!(verdict("member_all", "all", &all), "SAFE");
}

/// Where no defined execution reaches a check nothing is proved, whatever has shown that none fails.
#[test]
fn executions_that_are_undefined_before_every_check() {
    let programs = [
        (
            "pointer",
            "static void f(void *p) { *(int *)p = 1; } int main(void) { void *p; int x = nd(); f(p); if (x > 5) abort(); if (x > 9) { assert(x < 9); } return 0; }",
        ),
        ("division", "int x = nd(), z = 0; x = x / z; assert(x > 3);"),
        ("overflow", "int x = 2147483647; x++; assert(x < 0);"),
        ("loop", "int s = 0, z = 0;\nfor (int i = 1; i < 10; i++) s += i / z;\nassert(s > 3);"),
        ("grows", "int x = 1;\nfor (int i = 0; i < 40; i++) x *= 2;\nassert(x > 0);"),
    ];
    for (name, program) in programs {
        let program = format!(
            "#include <assert.h>\n{}",
            if program.contains("main(") {
                program.to_owned()
            } else {
                format!("int main(void) {{ {program} return 0; }}")
            }
        );
        let all = vec![&[][..], &["--tune", "without=executions"], &["--keep-going"]];
        for options in testing::sample(all, 3) {
            let file = testing::file(&format!("before_{name}.c"), format!("{INCLUDES}{program}\n"));
            let mut args = vec!["check", "--time-limit", "20s"];
            args.extend(options);
            args.push(&file);
            assert_eq!(tests::slam(&args).verdict(), "UNKNOWN(undefined behaviour)", "{options:?} {program}");
        }
    }
    // Some executions are undefined, and others reach the check.
    let some = "#include <assert.h>\nint main(void) { int x = nd(); if (x == 0) x = 1 / x; assert(x != 0); return 0; }";
    let file = testing::file("before_some.c", format!("{INCLUDES}{some}\n"));
    assert_eq!(tests::slam(&["check", &file]).verdict(), "SAFE");
}
