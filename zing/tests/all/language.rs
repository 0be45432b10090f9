//! The language: what is refused, and where; printing and parsing are inverse to each other.

use crate::random::program;
use crate::support::{RUN, code, compiled, example, fails};
use base::SourceMap;
use expect_test::{Expect, expect};
use zing::{Options, Overrides, parse, print};

/// A program around the statements of its only procedure.
fn around(statements: &str) -> String {
    format!(
        "class Box {{ bool x; Box next; int[0..3] n; int m; bool Get() {{ return x; }} }}\n\
         class Main {{ static Box g; static int k; static bool s;\n\
         static int Two(bool b) {{ return 2; }}\n\
         activate static void main() {{\n{statements}\n}} }}"
    )
}

/// What is said about statements.
fn refused(statements: &str, expected: &Expect) {
    refused_program(&around(statements), expected);
}

fn refused_program(text: &str, expected: &Expect) {
    let messages = compiled(text, &Overrides::new()).expect_err("the program is refused");
    let first: String = messages.lines().filter(|l| l.contains("error")).map(|l| format!("{l}\n")).collect();
    expected.assert_eq(&first);
}

#[test]
fn syntax_errors_have_places() {
    refused(
        "k = ;",
        &expect![[r#"
        test.zn:5:5: error: expected an expression, found `;`
    "#]],
    );
    refused(
        "if (s { }",
        &expect![[r#"
        test.zn:5:7: error: expected `)`, found `{`
    "#]],
    );
    refused(
        "k = 1 + Two(s);",
        &expect![[r#"
        test.zn:5:9: error: a call stands alone, or alone on the right of `=` or after `return`
    "#]],
    );
    refused(
        "s = s && choose(bool);",
        &expect![[r#"
        test.zn:5:10: error: `choose` stands alone on the right of `=`, or after `return`
    "#]],
    );
    refused(
        "k = 99999999999;",
        &expect![[r#"
        test.zn:5:5: error: this number is too large
    "#]],
    );
    refused(
        "/* open",
        &expect![[r#"
        test.zn:5:1: error: this comment does not end
    "#]],
    );
    refused(
        "k = 1 § 2;",
        &expect![[r#"
        test.zn:5:7: error: unexpected character '§'
    "#]],
    );
    refused(
        "1 = k;",
        &expect![[r#"
        test.zn:5:1: error: expected a statement, found `1`
    "#]],
    );
}

#[test]
fn type_errors_have_places() {
    refused(
        "s = 1;",
        &expect![[r#"
        test.zn:5:5: error: expected `bool`, found `int[1..1]`
    "#]],
    );
    refused(
        "g = new Nix; g.y = true; k.x = 1; h = 2;",
        &expect![[r#"
        test.zn:5:5: error: there is no class `Nix`
        test.zn:5:14: error: class `Box` has no field `y`
        test.zn:5:26: error: `int` has no fields
        test.zn:5:35: error: there is no variable `h`
    "#]],
    );
    refused(
        "assert(g); assume(k + 1); if (null) { }",
        &expect![[r#"
        test.zn:5:8: error: expected `bool`, found `Box`
        test.zn:5:19: error: expected `bool`, found `int`
        test.zn:5:31: error: expected `bool`, found `null`
    "#]],
    );
    refused(
        "assert(g == k);",
        &expect![[r#"
        test.zn:5:8: error: `Box` and `int` are never equal
    "#]],
    );
    refused(
        "k = choose(int); Two(); g = Two(s); Nix(); g.Two(s); s = Box.Get();",
        &expect![[r#"
        test.zn:5:5: error: a choice is among truth values, or among the numbers of a range
        test.zn:5:18: error: 1 arguments are needed, 0 are given
        test.zn:5:29: error: expected `Box`, found `int`
        test.zn:5:37: error: there is no (or no only) procedure `Nix`
        test.zn:5:44: error: class `Box` has no (or no only) procedure `Two`
        test.zn:5:58: error: `Get` is called on an object
    "#]],
    );
    refused(
        "bool k; bool k; return 1; this.x = s; L: s = s; L: s = s;",
        &expect![[r#"
            test.zn:5:9: error: there is a variable `k` already
            test.zn:5:17: error: this procedure returns no value
            test.zn:5:27: error: there is no `this` in a static procedure
            test.zn:5:27: error: class `Main` has no field `x`
            test.zn:5:52: error: there is a label `L` already
        "#]],
    );
    refused_program(
        "class A { bool x, x; A y; } class A { void f() { } void f() { } }",
        &expect![[r#"
            test.zn:1:35: error: there is a class `A` already
            test.zn:1:19: error: there is a field `x` already
            test.zn:1:57: error: there is a procedure `f` already
            test.zn:1:1: error: no procedure is marked `activate`: nothing would run
        "#]],
    );
    refused_program(
        "const int N = M; const int N = 1 / 0; class A { int[3..1] x; activate void f(bool b) { } }",
        &expect![[r#"
            test.zn:1:15: error: there is no constant `M` before this place
            test.zn:1:32: error: this number is too large, or a division by zero
            test.zn:1:59: error: this range is empty
            test.zn:1:76: error: what is marked `activate` is static and has no parameters
        "#]],
    );
    let unknown = compiled(&around("k = 1;"), &Overrides::from([("Z".to_owned(), 1)]));
    assert!(unknown.expect_err("there is no Z").contains("there is no constant `Z`"));
}

#[test]
fn nesting_is_bounded() {
    for text in [
        format!("s = {}s{};", "(".repeat(100_000), ")".repeat(100_000)),
        format!("s = {}s;", "!".repeat(100_000)),
        format!("k = 1{};", " + 1".repeat(100_000)),
        format!("{}{}", "if (s) { ".repeat(100_000), "}".repeat(100_000)),
        format!("{} ;", "if (s) ; else ".repeat(100_000)),
        format!("g = g{};", ".next".repeat(100_000)),
        format!("g{}.Get();", ".next".repeat(100_000)),
    ] {
        let refused = compiled(&around(&text), &Overrides::new()).expect_err("it is nested too deeply");
        assert!(refused.len() < 2_000_000 && refused.contains("error: "), "{}", &refused[..200]);
    }
    // What is just not too deep is taken, by all passes.
    let deep = format!("{}s = {}s;{}", "if (s) { ".repeat(70), "!".repeat(70), "}".repeat(70));
    compiled(&around(&deep), &Overrides::new()).expect("this is not nested too deeply");
}

#[test]
fn garbage_is_refused_without_panic() {
    let text = example("fig1.zn");
    for cut in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
        let _ = compiled(&text[..cut], &Overrides::new());
        let mut other = text.clone();
        other.replace_range(cut..=cut, ["{", ")", "0", ".", "new", "="][cut % 6]);
        let _ = compiled(&other, &Overrides::new());
    }
}

fn round_trip(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.zn", Some(text.into()));
    let tree = parse(text, file).expect("the text is well-formed");
    let printed = print(&tree);
    let again = parse(&printed, file).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
    assert_eq!(tree, again, "{printed}");
    assert_eq!(print(&again), printed);
}

#[test]
fn printing_and_parsing_are_inverse() {
    for name in ["fig1.zn", "fig2.zn", "fig10.zn"] {
        round_trip(&example(name));
    }
    (0..200).for_each(|seed| round_trip(&program(seed)));
    round_trip(&around(
        "k = -(1 + 2) * 3 - (4 - 5) % -6; s = !(s || k < 2 && g == null) == (k >= 1);
         Box b = new Box(); int[0..2 + 1] i = choose(int[0..3]); atomic { async Two(s); ; }
         while (choose(bool)) k = k + 1; if (s) k = 1; else if (*) k = 2; else { k = 3; } L: M: { g.next.n = i; }",
    ));
}

/// Whether the statements can fail.
fn can_fail(statements: &str) -> bool {
    let code = code(&around(statements));
    let outcome = zing::check(&code, &Options { max_states: 10_000, ..Options::new(&RUN) });
    fails(&outcome).expect("the search ends")
}

#[test]
fn what_statements_mean() {
    for (statements, expected) in [
        ("assert(!s && k == 0 && g == null);", false),
        ("g = new Box; assert(!g.x && g.n == 0 && g.next == null);", false),
        ("k = 7 / 2; assert(k == 3); k = -7 % 4; assert(k == -3);", false),
        ("k = 7 / (k - k);", true),
        ("s = g.x;", true),
        ("g.x = s;", true),
        ("s = g.Get();", true),
        ("s = g != null && g.x;", false),
        ("s = g == null || g.x;", false),
        ("g = new Box; g.n = 3; g.n = g.n + 1;", true),
        ("g = new Box; g.n = 3; g.m = g.n + 1; assert(g.m == 4);", false),
        ("k = choose(int[2..5]); assert(k >= 2 && k <= 5);", false),
        ("k = choose(int[2..5]); assert(k != 4);", true),
        ("int[0..3] i = choose(int[2..5]);", true),
        ("if (*) s = true; assert(s);", true),
        ("assume(false); assert(false);", false),
        ("bool a; { bool b = true; a = b; } bool b; assert(a && !b);", false),
        ("Box a = new Box; Box b = a; b.x = true; assert(a.x && a == b);", false),
        ("Box a = new Box; Box b = new Box; assert(a != b);", false),
        ("while (k < 5) { bool first; assert(!first); first = true; k = k + 1; } assert(k == 5);", false),
        ("g = new Box; g.m = Two(s); assert(g.m == 2); k = Main.Two(true) ; assert(Main.k == 2);", false),
        ("while (true) { }", false),
    ] {
        assert_eq!(can_fail(statements), expected, "{statements}");
    }
}

#[test]
fn a_number_that_does_not_fit_is_no_answer() {
    let code = code(&around("k = 1; while (true) { k = k * 2; }"));
    assert_eq!(zing::check(&code, &Options::new(&RUN)).answer, Err(zing::Limit::Number));
}

#[test]
fn the_end_without_return_fails() {
    let text =
        "class A { static int f(bool b) { if (b) return 1; } activate static void main() { f(false); } }";
    assert_eq!(fails(&zing::check(&code(text), &Options::new(&RUN))), Some(true));
    let text = text.replace("false", "true");
    assert_eq!(fails(&zing::check(&code(&text), &Options::new(&RUN))), Some(false));
}
