//! Several files are one program: what has external linkage is shared, what is static is not, and declarations
//! that do not fit each other are refused.

use crate::common::render;
use cfront::{Failure, Frontend, Options};
use expect_test::{Expect, expect};
use interp::{Limits, Outcome, Value, ZeroInputs};
use std::sync::atomic::AtomicBool;
use testing::Scratch;

fn load(files: &[&str]) -> Result<Frontend, Failure> {
    let scratch = Scratch::new();
    let paths: Vec<_> = files.iter().enumerate().map(|(n, t)| scratch.file(&format!("{n}.i"), t)).collect();
    cfront::load(&paths, &Options::default())
}

/// Checks the result of `main`.
fn check_value(files: &[&str], expect: i128) {
    let program = load(files).unwrap_or_else(|f| panic!("{}", render(&f))).program;
    assert_eq!(ir::check::check(&program), Vec::<String>::new());
    let run = interp::run(&program, &mut ZeroInputs, &Limits::default(), &AtomicBool::new(false));
    assert_eq!(run.outcome, Outcome::Finished(Some(Value::Int(expect))));
}

fn check_refused(files: &[&str], expect: &Expect) {
    expect.assert_eq(&render(&load(files).expect_err("the files do not fit each other")));
}

const MAIN: &str = "void reach_error(void); static void dead(void) { reach_error(); } ";

#[test]
fn statics_of_one_name_are_different() {
    check_value(
        &[
            &format!(
                "{MAIN} static int n = 1; static int f(void) {{ return n; }} int g(void); int main(void) {{ return f() * 100 + g(); }}"
            ),
            "static int n = 2; static int f(void) { static int n = 30; return n++; } int g(void) { f(); return f() + n; }",
        ],
        133,
    );
}

#[test]
fn external_names_are_shared() {
    check_value(
        &[
            &format!(
                "{MAIN} extern int n; int t; extern int a[]; int f(int); int (*p)(int) = f; int main(void) {{ t = 4; return p(1) + a[2] + n; }}"
            ),
            "int n = 10; int t; int t; int a[3] = { 1, 2, 100 }; static int h(void) { extern int t; return t; } int f(int x) { return x + h(); }",
        ],
        115,
    );
}

#[test]
fn a_global_of_another_file_is_declared_in_a_block_behind_a_local_of_its_name() {
    check_value(
        &[
            &format!("{MAIN} int main(void) {{ int n = 1; {{ extern int n; n = n + 5; }} return n; }}"),
            "int n = 10; int other(void) { return n; }",
        ],
        1,
    );
    check_value(
        &[
            &format!(
                "{MAIN} int main(void) {{ int n = 1; int m; {{ extern int n; m = n + 5; }} return n + m; }}"
            ),
            "int n = 10;",
        ],
        16,
    );
}

#[test]
fn structs_and_enumerations_are_shared_by_layout() {
    check_value(
        &[
            &format!(
                "{MAIN} struct s {{ int a; struct s *n; }}; enum e {{ A = 3 }}; struct s *mk(enum e); int main(void) {{ return mk(A)->n->a; }}"
            ),
            "struct s { int a; struct s *n; }; enum e { B = 3 }; static struct s g; struct s *mk(enum e x) { g.a = x; g.n = &g; return &g; }",
        ],
        3,
    );
}

#[test]
fn structs_without_a_tag_are_shared_by_their_members() {
    check_value(
        &[
            &format!(
                "{MAIN} typedef struct {{ int a; struct {{ int b; }} c; }} T; extern T g; int f(T *p); int main(void) {{ return f(&g); }}"
            ),
            "typedef struct { int a; struct { int b; } c; } T; T g = { 1, { 4 } }; int f(T *p) { return p->a + p->c.b; }",
        ],
        5,
    );
}

#[test]
fn inline_definitions_stand_beside_the_real_one() {
    check_value(
        &[
            &format!(
                "{MAIN} static inline int k(void) {{ return 1; }} int f(void); int main(void) {{ return f() + k(); }}"
            ),
            "static inline int k(void) { return 10; } int f(void) { return k(); }",
        ],
        11,
    );
}

/// Two files that include a header of this text.
fn with_header(header: &str, first: &str, second: &str) -> Result<Frontend, Failure> {
    let scratch = Scratch::new();
    scratch.file("h.h", header);
    let text = |body: &str| format!("#include \"h.h\"\n{body}\n");
    let files = [scratch.file("0.c", text(first)), scratch.file("1.c", text(second))];
    cfront::load(&files, &Options { need_checks: false, ..Options::default() })
}

#[test]
fn an_inline_function_of_a_header_is_one_function() {
    let header = "inline int twice(int x) { return 2 * x; }\nint other(void);\n";
    let first = "extern int twice(int x); int main(void) { return twice(2) + other(); }";
    let loaded = with_header(header, first, "int other(void) { return twice(5); }");
    let program = loaded.unwrap_or_else(|f| panic!("{}", render(&f))).program;
    assert_eq!(ir::check::check(&program), Vec::<String>::new());
    let run = interp::run(&program, &mut ZeroInputs, &Limits::default(), &AtomicBool::new(false));
    assert_eq!(run.outcome, Outcome::Finished(Some(Value::Int(14))));
    // The second file finds the header by another path.
    let scratch = Scratch::new();
    scratch.file("lib/h.h", header);
    scratch.file("test/empty.h", "");
    let files = [
        scratch.file("0.c", format!("#include \"lib/h.h\"\n{first}\n")),
        scratch.file("1.c", "#include \"test/../lib/h.h\"\nint other(void) { return twice(5); }\n"),
    ];
    let loaded = cfront::load(&files, &Options { need_checks: false, ..Options::default() });
    let again = loaded.unwrap_or_else(|f| panic!("{}", render(&f))).program;
    assert_eq!(ir::print::program(&again, None), ir::print::program(&program, None));
    // With other words it is another one.
    let failure = load(&[
        &format!("{MAIN} inline int f(void) {{ return 1; }} int main(void) {{ return f(); }}"),
        "inline int f(void) { return 2; }",
    ]);
    assert!(render(&failure.expect_err("they differ")).contains("`f` is defined twice"));
}

#[test]
fn tags_of_private_structs_mean_something_else_in_each_file() {
    check_value(
        &[
            &format!(
                "{MAIN} struct n; static struct n *first; struct n {{ int a, b; struct n *next; }}; int f(void); int g(void); \
                 int main(void) {{ struct n x = {{ 1, 2, first }}; first = &x; return first->b + f() + g() + sizeof(struct n); }}"
            ),
            "struct n { char c; long a; }; static struct n x[2] = { { 1, 10 }, { 2, 20 } }; struct n *give(void) { return x; } int f(void) { return x[1].a + sizeof(struct n); }",
            "struct n { char c; long a; }; struct n *give(void); int g(void) { return give()->a + sizeof(struct n); }",
            "struct n { int only; }; int unused(struct n *p) { return p->only; }",
        ],
        2 + 20 + 16 + 10 + 16 + 16,
    );
}

#[test]
fn types_that_differ_are_refused() {
    check_refused(
        &[&format!("{MAIN} extern int n; int main(void) {{ return n; }}"), "long n = 3;"],
        &expect![[r#"
            ERROR(type)
            1.i:1:6: error: `n` is declared with another type before
                1 | long n = 3;
                  |      ^
            0.i:1:79: note: the earlier declaration
                1 | void reach_error(void); static void dead(void) { reach_error(); }  extern int n; int main(void) { return n; }
                  |                                                                               ^
        "#]],
    );
    check_refused(
        &[
            &format!("{MAIN} int f(int); int main(void) {{ return f(1); }}"),
            "int f(char *p) { return p == 0; }",
        ],
        &expect![[r#"
            ERROR(type)
            1.i:1:5: error: `f` is declared with another type before
                1 | int f(char *p) { return p == 0; }
                  |     ^
            0.i:1:72: note: the earlier declaration
                1 | void reach_error(void); static void dead(void) { reach_error(); }  int f(int); int main(void) { return f(1); }
                  |                                                                        ^
        "#]],
    );
    check_refused(
        &[
            &format!("{MAIN} struct s {{ int a; }}; extern struct s g; int main(void) {{ return g.a; }}"),
            "struct s { long a; }; struct s g;",
        ],
        &expect![[r#"
            ERROR(type)
            1.i:1:32: error: `g` is declared with another type before
                1 | struct s { long a; }; struct s g;
                  |                                ^
            0.i:1:105: note: the earlier declaration
                1 | void reach_error(void); static void dead(void) { reach_error(); }  struct s { int a; }; extern struct s g; int main(void) { return g.a; }
                  |                                                                                                         ^
        "#]],
    );
    check_refused(
        &[&format!("{MAIN} int n = 1; int main(void) {{ return n; }}"), "int n = 2;"],
        &expect![[r#"
            ERROR(type)
            1.i:1:5: error: `n` is initialised twice
                1 | int n = 2;
                  |     ^
        "#]],
    );
    check_refused(
        &[
            &format!("{MAIN} int f(void) {{ return 1; }} int main(void) {{ return f(); }}"),
            "int f(void) { return 2; }",
        ],
        &expect![[r#"
            ERROR(type)
            1.i:1:5: error: `f` is defined twice
                1 | int f(void) { return 2; }
                  |     ^
            0.i:1:72: note: the first definition
                1 | void reach_error(void); static void dead(void) { reach_error(); }  int f(void) { return 1; } int main(void) { return f(); }
                  |                                                                        ^
        "#]],
    );
    check_refused(
        &[&format!("{MAIN} int f(void); int main(void) {{ return f(); }}"), "int f;"],
        &expect![[r#"
            ERROR(type)
            1.i:1:5: error: `f` is a function in one place and an object in another
                1 | int f;
                  |     ^
        "#]],
    );
}
