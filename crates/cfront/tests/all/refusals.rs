//! Input that is not taken: the verdict, the place and the words.

use crate::common::{load_named, render};
use cfront::{FailureKind, Options};
use expect_test::{Expect, expect};
use testing::Scratch;

fn check(text: &str, expect: &Expect) {
    let failure = load_named("a.i", text, &Options::default()).expect_err("the text is refused");
    expect.assert_eq(&render(&failure));
}

/// A body of `main` in a program that has something to check.
fn check_body(body: &str, expect: &Expect) {
    check(
        &format!(
            "void assert(int); void dead(void) {{ assert(0); }}\nint main(int argc, char **argv) {{\n{body}\n}}\n"
        ),
        expect,
    );
}

#[test]
fn unreadable_input() {
    let scratch = Scratch::new();
    let kinds = |name: &str| {
        let path = scratch.path().join(name);
        let failure = cfront::load(&[path], &Options::default()).expect_err("the file is refused");
        assert_eq!(failure.kind, FailureKind::Read);
        assert!(failure.diagnostics[0].span.is_some());
        failure.diagnostics[0].message.split(": ").last().unwrap_or("").to_owned()
    };
    std::fs::create_dir(scratch.path().join("folder.c")).expect("the temporary folder can be written");
    scratch.file("empty.c", " \n\t\n");
    scratch.file("binary.c", b"\x7fELF\0\x01int main() {}");
    assert!(kinds("missing.c").contains("No such file"));
    assert_eq!(kinds("folder.c"), "it is a directory");
    assert_eq!(kinds("empty.c"), "the file is empty");
    assert_eq!(kinds("binary.c"), "this is a binary file (it has a NUL byte), not C");
}

#[test]
fn preprocessor_errors_have_places() {
    let failure = load_named("a.c", "int x;\n#include \"nowhere.h\"\nint y;\n", &Options::default());
    let failure = failure.expect_err("the header is missing");
    assert_eq!(
        (failure.kind, failure.diagnostics[0].span.map(|s| s.start.line)),
        (FailureKind::Preprocess, Some(2))
    );
    let options = Options { cc: "no-such-compiler".into(), ..Options::default() };
    let failure = load_named("a.c", "int x;\n", &options).expect_err("there is no compiler");
    assert_eq!(failure.kind, FailureKind::Preprocess);
    check(
        "int x;\n#define X 1\n",
        &expect![[r#"
        ERROR(preprocess)
        a.i:2:1: error: a preprocessor directive in input that is said to be preprocessed
            2 | #define X 1
              | ^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn places_survive_the_preprocessor() {
    let text = "#include <assert.h>\n#define TWICE(x) ((x) + (x))\nint main(void) {\n  int y = TWICE(2) + z; /* c */\n  return y;\n}\n";
    let failure = load_named("a.c", text, &Options::default()).expect_err("z is not declared");
    expect![[r#"
        ERROR(type)
        a.c:4:22: error: `z` is not declared
            4 |   int y = TWICE(2) + z; /* c */
              |                      ^
    "#]]
    .assert_eq(&render(&failure));
}

#[test]
fn syntax() {
    check(
        "int main(void) {\n  return 1\n}\n",
        &expect![[r#"
            ERROR(parse)
            a.i:3:1: error: syntax error before `}`
                3 | }
                  | ^
            a.i:2:11: note: expected `;` here
                2 |   return 1
                  |           ^
        "#]],
    );
    check(
        "int main(void) {\n  char *s = \"abc;\n}\n",
        &expect![[r#"
        ERROR(parse)
        a.i:2:13: error: a comment, string or character constant is not closed
            2 |   char *s = "abc;
              |             ^^^^^
    "#]],
    );
    check(
        "int f(int x) { if (x { } }",
        &expect![[r#"
            ERROR(parse)
            a.i:1:22: error: syntax error before `{`
                1 | int f(int x) { if (x { } }
                  |                      ^
            a.i:1:19: note: expected `)` for the `(` here
                1 | int f(int x) { if (x { } }
                  |                   ^
        "#]],
    );
    check(
        "int main(void) {",
        &expect![[r#"
            ERROR(parse)
            a.i:1:17: error: syntax error: the file ends in the middle of a declaration
                1 | int main(void) {
                  |                 ^
            a.i:1:16: note: expected `}` for the `{` here
                1 | int main(void) {
                  |                ^
        "#]],
    );
}

/// Each error has what was expected, and where what is not closed or ended began. What follows from an error is none.
#[test]
fn several_syntax_errors() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syntax.c"));
    check(
        &text.expect("it is there"),
        &expect![[r#"
        ERROR(parse)
        a.i:2:5: error: syntax error before `add`
            2 | int add(int a, int b) {
              |     ^^^
        a.i:1:31: note: expected `;` here
            1 | struct point { int x; int y; }
              |                               ^
        a.i:4:1: error: syntax error before `}`
            4 | }
              | ^
        a.i:3:17: note: expected `;` here
            3 |     return a + b
              |                 ^
        a.i:5:1: error: syntax error before `uint32_t`
            5 | uint32_t g;
              | ^^^^^^^^
        a.i:5:1: note: `uint32_t` is not known as a type: a #include or a typedef may be missing
            5 | uint32_t g;
              | ^^^^^^^^
        a.i:8:21: error: syntax error before `;`
            8 |     int x = add(a, a;
              |                     ^
        a.i:8:16: note: expected `)` for the `(` here
            8 |     int x = add(a, a;
              |                ^
        a.i:12:13: error: syntax error before `;`
           12 |     return -;
              |             ^
        a.i:15:22: error: syntax error before `{`
           15 |     if (twice(1) > 0 {
              |                      ^
        a.i:15:8: note: expected `)` for the `(` here
           15 |     if (twice(1) > 0 {
              |        ^
    "#]],
    );
}

/// A brace that is closed by one that is less indented than its line is the one that was forgotten.
#[test]
fn the_brace_that_is_not_closed() {
    check(
        "int main(void) {\n  int x = 3;\n  if (x) {\n    x = 4;\n  return x;\n}\n",
        &expect![[r#"
        ERROR(parse)
        a.i:6:2: error: syntax error: the file ends in the middle of a declaration
            6 | }
              |  ^
        a.i:3:10: note: expected `}` for the `{` here
            3 |   if (x) {
              |          ^
    "#]],
    );
}

/// A type may be missing that the rest needs: nothing is said of it.
#[test]
fn nothing_is_reported_behind_a_wrong_typedef() {
    check(
        "typedef int 3x;\nx f(x a) { return a }\n",
        &expect![[r#"
        ERROR(parse)
        a.i:1:13: error: syntax error before `3x`
            1 | typedef int 3x;
              |             ^^
        note: expected `(` or `*` or `;`
    "#]],
    );
}

#[test]
fn types() {
    check_body(
        "struct s { int a; } v; return v.b;",
        &expect![[r#"
        ERROR(type)
        a.i:3:31: error: there is no member `b`
            3 | struct s { int a; } v; return v.b;
              |                               ^^^
    "#]],
    );
    check_body(
        "char *p; unsigned char *q; return p - q;",
        &expect![[r#"
            ERROR(type)
            a.i:3:35: error: the difference of pointers to different types
                3 | char *p; unsigned char *q; return p - q;
                  |                                   ^^^^^
        "#]],
    );
    check_body(
        "int *p; return p * 2;",
        &expect![[r#"
        ERROR(type)
        a.i:3:16: error: `*` does not apply to int * and int
            3 | int *p; return p * 2;
              |                ^^^^^
    "#]],
    );
    check_body(
        "struct s { int a; } v; int x = v; return x;",
        &expect![[r#"
        ERROR(type)
        a.i:3:32: error: a scalar is needed here, not a struct or union
            3 | struct s { int a; } v; int x = v; return x;
              |                                ^
    "#]],
    );
    check_body(
        "5 = argc; return 0;",
        &expect![[r#"
        ERROR(type)
        a.i:3:1: error: this is no object that could be changed or have an address
            3 | 5 = argc; return 0;
              | ^
    "#]],
    );
    check_body(
        "int x[2]; x = argv; return 0;",
        &expect![[r#"
        ERROR(type)
        a.i:3:11: error: an array cannot be assigned
            3 | int x[2]; x = argv; return 0;
              |           ^^^^^^^^
    "#]],
    );
    check_body(
        "struct t *p; return sizeof *p;",
        &expect![[r#"
        ERROR(type)
        a.i:3:21: error: the type is incomplete here
            3 | struct t *p; return sizeof *p;
              |                     ^^^^^^^^^
    "#]],
    );
}

#[test]
fn statements_and_declarations() {
    check_body(
        "goto nowhere;",
        &expect![[r#"
        ERROR(type)
        a.i:3:1: error: the label `nowhere` is not defined
            3 | goto nowhere;
              | ^^^^^^^^^^^^
    "#]],
    );
    check_body(
        "int x = 1; break;",
        &expect![[r#"
            ERROR(type)
            a.i:3:12: error: `break` stands in no loop
                3 | int x = 1; break;
                  |            ^^^^^
        "#]],
    );
    check_body(
        "switch (argc) { case 1: case 1: ; }",
        &expect![[r#"
        ERROR(type)
        a.i:3:25: error: two `case` labels have the same value
            3 | switch (argc) { case 1: case 1: ; }
              |                         ^^^^^^
    "#]],
    );
    check_body(
        "return main(1);",
        &expect![[r#"
        ERROR(type)
        a.i:3:1: error: the function takes 2 arguments, not 1
            3 | return main(1);
              | ^^^^^^^^^^^^^^
    "#]],
    );
    check_body(
        "float f = &argc; return f;",
        &expect![[r#"
        ERROR(type)
        a.i:3:11: error: a pointer and a floating-point number do not convert to each other
            3 | float f = &argc; return f;
              |           ^^^^^
    "#]],
    );
    check(
        "int x; double x; int main(void) { return 0; }",
        &expect![[r#"
        ERROR(type)
        a.i:1:15: error: `x` is declared with another type before
            1 | int x; double x; int main(void) { return 0; }
              |               ^
        a.i:1:5: note: the earlier declaration
            1 | int x; double x; int main(void) { return 0; }
              |     ^
    "#]],
    );
    check(
        "int f(int a) { return a; }\nint f(int a) { return 1; } int main(void) { return 0; }",
        &expect![[r#"
            ERROR(type)
            a.i:2:5: error: `f` is defined twice
                2 | int f(int a) { return 1; } int main(void) { return 0; }
                  |     ^
            a.i:1:5: note: the first definition
                1 | int f(int a) { return a; }
                  |     ^
        "#]],
    );
    check(
        "_Static_assert(sizeof(int) == 8, \"no\");",
        &expect![[r#"
        ERROR(type)
        a.i:1:1: error: the static assertion fails
            1 | _Static_assert(sizeof(int) == 8, "no");
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn unsupported_constructs() {
    check_body(
        "void *p = &&l; l: return 0;",
        &expect![[r#"
        ERROR(unsupported)
        a.i:3:11: error: addresses of labels are not supported
            3 | void *p = &&l; l: return 0;
              |           ^^^
    "#]],
    );
    check_body(
        "int b[40]; return setjmp(b);",
        &expect![[r#"
            ERROR(unsupported)
            a.i:3:19: error: `setjmp` and `longjmp` are not supported
                3 | int b[40]; return setjmp(b);
                  |                   ^^^^^^^^^
        "#]],
    );
    check_body(
        "_Complex double z = 1; return 0;",
        &expect![[r#"
            ERROR(unsupported)
            a.i:3:17: error: operations on complex numbers are not supported
                3 | _Complex double z = 1; return 0;
                  |                 ^^^^^
        "#]],
    );
    check_body(
        "return __builtin_frame_address(0) != 0;",
        &expect![[r#"
        ERROR(unsupported)
        a.i:3:8: error: `__builtin_frame_address` is not supported
            3 | return __builtin_frame_address(0) != 0;
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        "void assert(int); int pthread_create(); int main(void) { assert(pthread_create()); return 0; }",
        &expect![[r#"
            ERROR(type)
            a.i:1:65: error: the function takes 4 arguments, not 0
                1 | void assert(int); int pthread_create(); int main(void) { assert(pthread_create()); return 0; }
                  |                                                                 ^^^^^^^^^^^^^^^^
        "#]],
    );
    let deep = format!("int x = {}1{};", "(".repeat(5000), ")".repeat(5000));
    let failure = load_named("a.i", &deep, &Options::default()).expect_err("the nesting is too deep");
    assert_eq!(
        (failure.kind, failure.diagnostics[0].span.map(|s| s.start.col)),
        (FailureKind::Unsupported, Some(1009))
    );
}

#[test]
fn no_entry_and_no_checks() {
    check(
        "void assert(int); int f(int x) { assert(x); return 0; }",
        &expect![[r#"
            ERROR(no entry)
            a.i:1:1: error: there is no function `main` to start with
                1 | void assert(int); int f(int x) { assert(x); return 0; }
                  | ^
            note: --entry NAME starts with another function, with any arguments; --each-function checks each of f
        "#]],
    );
    check(
        "int main(void) { return 0; }",
        &expect![[r#"
            ERROR(no checks)
            a.i:1:1: error: the program has nothing to check: no assertion, error call or label ERROR
                1 | int main(void) { return 0; }
                  | ^
            note: --check all looks for undefined behaviour: wrong accesses to memory, overflow, division by zero, what is read before it has a value, leaks
        "#]],
    );
    // A check in a function that nothing calls is a check all the same: the program is safe.
    let text = "void reach_error(void); void f(void) { reach_error(); } int main(void) { return 0; }";
    assert!(crate::common::load(text).program.checks.is_empty());
}

#[test]
fn checks_behind_what_is_not_supported_are_not_taken_for_none() {
    check(
        "int main(void) { int n = 3; struct s { int i; char a[n]; } s; if (n) return 0; ERROR: return 1; }\n",
        &expect![[r#"
            ERROR(unsupported)
            a.i:1:52: error: variable length arrays in structs are not supported
                1 | int main(void) { int n = 3; struct s { int i; char a[n]; } s; if (n) return 0; ERROR: return 1; }
                  |                                                    ^^^^
        "#]],
    );
}

#[test]
fn what_is_never_called_may_be_unsupported() {
    crate::common::load(
        "void assert(int); void f(void) { setjmp(0); } int main(void) { assert(1); return 0; }",
    );
}

#[test]
fn deep_nesting_below_the_bound_is_taken() {
    let text = format!(
        "void assert(int); int main(void) {{ int x = {}1{}; assert(x); return 0; }}",
        "(".repeat(980),
        ")".repeat(980)
    );
    let run = move || assert_eq!(crate::common::load(&text).program.checks.len(), 1);
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread can be started");
    thread.join().expect("the program is taken");
}
