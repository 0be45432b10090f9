//! Files with unusual names, beginnings and ends, and texts that nest deep.

use crate::common::{interpret, load, load_named};
use cfront::{FailureKind, Options};
use ir::{Expr, Op};
use testing::Scratch;

const PROGRAM: &str =
    "void reach_error(void);\nint main(void) { return 7; }\nvoid f(void) { reach_error(); }\n";

#[test]
fn a_byte_order_mark_is_no_text() {
    for name in ["a.c", "a.i"] {
        let marked = format!("\u{feff}{PROGRAM}");
        let loaded = load_named(name, &marked, &Options::default());
        assert!(loaded.is_ok(), "{name}: {:?}", loaded.err());
        // Elsewhere it is one, and the place before it is counted without the first.
        let wrong = load_named(name, "\u{feff}int x = \u{feff}1;\n", &Options::default());
        let failure = wrong.expect_err("a mark is no expression");
        assert_eq!(failure.diagnostics[0].span.expect("it has a place").start.line, 1);
    }
    let only = load_named("a.c", "\u{feff} \n", &Options::default()).expect_err("there is nothing");
    assert_eq!((only.kind, only.diagnostics[0].message.as_str()), (FailureKind::Read, "the file is empty"));
}

#[test]
fn names_of_files_may_have_any_character() {
    let names = [
        "plain.c",
        "a b.c",
        "a\"b.c",
        "a\\b.c",
        "a\\nb.c",
        "two\nlines.c",
        "tab\t.c",
        "\u{e9}.c",
        "a\r.c",
        "%s.c",
    ];
    for name in names {
        let scratch = Scratch::new();
        scratch.file("beside.h", "int beside(void);\n");
        let program = PROGRAM.replace("return 7", "f()").replace("int main", "void f(void);\nint main");
        let path = scratch.file(name, format!("#include \"beside.h\"\n{program}"));
        let loaded = cfront::load(std::slice::from_ref(&path), &Options::default());
        let loaded = loaded.unwrap_or_else(|f| panic!("{name:?}: {:?}", f.diagnostics));
        let check = &loaded.program.checks[base::Id::from_index(0)];
        assert_eq!(loaded.sources.file(check.span.file).name, path.display().to_string(), "{name:?}");
        assert_eq!(
            (check.span.start.line, loaded.sources.short(check.span).lines().count()),
            (5, 1),
            "{name:?}"
        );

        let path = scratch.file(name, "int x;\nint main(void) { return y; }\n");
        let failure = cfront::load(&[path], &Options::default()).expect_err("y is not declared");
        let text = failure.diagnostics[0].render(&failure.sources);
        assert!(text.contains(":2:25: error: `y` is not declared\n    2 | int main"), "{name:?}: {text}");
        assert_eq!(text.lines().count(), 3, "{name:?}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_marker_that_names_an_endless_file_is_not_followed() {
    let scratch = Scratch::new();
    scratch.file("odd.h", "#line 1 \"/dev/zero\"\nint odd(void);\n");
    let path = scratch.file("a.c", format!("#include \"odd.h\"\n{PROGRAM}"));
    assert!(cfront::load(&[path], &Options::default()).is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_file_ends_at_the_memory_of_the_preprocessor() {
    let failure = load_named("a.c", "int x;\n#include \"/dev/zero\"\n", &Options::default());
    let failure = failure.expect_err("it has no end");
    assert_eq!((failure.kind, failure.diagnostics[0].span.is_some()), (FailureKind::Preprocess, true));
}

#[test]
fn macros_that_grow_without_bound_are_refused() {
    let mut text = format!("#define a0 {}\n", format!("{} ", "x".repeat(200)).repeat(20));
    for k in 1..9 {
        let before = format!("a{} ", k - 1).repeat(10);
        text.push_str(&format!("#define a{k} {before}\n"));
    }
    let failure = load_named("a.c", &format!("{text}int y = a8;\n"), &Options::default());
    let failure = failure.expect_err("it is too large");
    let message = &failure.diagnostics[0].message;
    assert!(failure.kind == FailureKind::Preprocess && message.contains("256 MB"), "{message}");
}

/// The depth of an expression, as far as operators nest.
fn depth(e: &Expr) -> usize {
    1 + match e {
        Expr::Unary(_, x, _) | Expr::Cast(x, _) | Expr::Old(x) => depth(x),
        Expr::Binary(_, l, r, _) => depth(l).max(depth(r)),
        Expr::Cond(c, a, b) => depth(c).max(depth(a)).max(depth(b)),
        _ => 0,
    }
}

#[test]
fn deep_operators_become_shallow_expressions() {
    // As the binaries run it.
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(deep_operators);
    thread.expect("a thread can be started").join().expect("no panic");
}

fn deep_operators() {
    let n = 4000;
    let deep = [
        ("- ".repeat(n) + "x", 5),
        ("~ ".repeat(n) + "x", 5),
        ("! ".repeat(n) + "x", 1),
        ("(char)".repeat(n) + "x", 5),
        (format!("({}x) == 20005", "x + ".repeat(n)), 1),
        (format!("1{}", " - x".repeat(n)) + " + 20000", 1),
        (format!("x{}", " ? x".repeat(n)) + &" : 0".repeat(n), 5),
        (format!("{}{}{}", "(1 + ".repeat(900), "x", ")".repeat(900)), 905 & 0xff),
    ];
    for (text, result) in deep {
        let program =
            format!("{PROGRAM}int g(int x) {{ return {text}; }}\n").replace("return 7", "return g(5)");
        let program = program.replace("int main", "int g(int x);\nint main");
        let loaded = load(&program);
        let ops = loaded.program.procs.iter().flat_map(|p| p.edges.iter()).map(|e| &e.op);
        let deepest = ops.filter_map(|op| match op {
            Op::Assign(_, e) | Op::Assume(e) => Some(depth(e)),
            _ => None,
        });
        let shown = &text[..20];
        assert!(deepest.max().is_some_and(|d| d <= 400), "{shown}");
        let scratch = Scratch::new();
        let ran = interpret(&scratch.file("a.i", &program), &Options::default(), 1_000_000);
        assert_eq!(ran.expect("it runs").code, result, "{shown}");
    }
}
