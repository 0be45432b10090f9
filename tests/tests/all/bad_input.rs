//! Input that cannot be analysed: a message that says where on standard error, exit code 2, and nothing but the
//! verdict line on standard output.

use testing::{file, folder, text};
use tests::slam;

/// Requires `ERROR(reason)` for `path`, with an error at `line` of it (or of it as a whole).
fn refused(path: &str, reason: &str, line: Option<u32>) {
    let run = slam(&["check", path, "--time-limit", "10s"]);
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, format!("VERDICT: ERROR({reason})\n"), "\n{shown}");
    assert_eq!(run.code, 2, "\n{shown}");
    let start = match line {
        Some(line) => format!("{path}:{line}:"),
        None => format!("{path}:"),
    };
    let located = run.stderr.lines().any(|l| l.starts_with(&start) && l.contains("error: "));
    assert!(located, "an error at {start}\n{shown}");
    let lower = run.stderr.to_lowercase();
    assert!(
        !lower.contains("safe") && !lower.contains("no error"),
        "nothing that sounds like an answer:\n{shown}"
    );
    assert!(!run.stderr.contains("panicked"), "\n{shown}");
}

#[test]
fn syntax_error() {
    refused(&file("syntax.c", b"int main(void) {\n    int x = 1;\n    return x +;\n}\n"), "parse", Some(3));
}

#[test]
fn missing_brace() {
    refused(&file("brace.c", b"int main(void) {\n    if (1) {\n    return 0;\n}\n"), "parse", None);
}

#[test]
fn missing_file() {
    refused(text(&folder().join("not-there.c")), "read", None);
}

#[test]
fn directory() {
    refused(text(&folder()), "read", None);
}

#[test]
fn empty_file() {
    refused(&file("empty.c", b""), "read", None);
}

#[test]
fn binary_file() {
    let bytes: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refused(&file("binary.c", &bytes), "read", None);
}

#[test]
fn missing_header() {
    refused(
        &file("header.c", b"\n#include \"not-there.h\"\nint main(void) { return 0; }\n"),
        "preprocess",
        Some(2),
    );
}

#[test]
fn undeclared_variable() {
    let text =
        b"extern void reach_error(void);\nint main(void) {\n    if (y) reach_error();\n    return 0;\n}\n";
    refused(&file("undeclared.c", text), "type", Some(3));
}

#[test]
fn unsupported_construct() {
    let text = b"#include <setjmp.h>\nextern void reach_error(void);\njmp_buf state;\nint main(void) {\n    \
        if (setjmp(state)) reach_error();\n    longjmp(state, 1);\n}\n";
    refused(&file("unsupported.c", text), "unsupported", Some(5));
}

#[test]
fn no_main() {
    refused(
        &file("no_main.c", b"extern void reach_error(void);\nvoid f(void) { reach_error(); }\n"),
        "no entry",
        None,
    );
}

#[test]
fn no_checks() {
    let file = file("no_checks.c", b"int main(void) { return 0; }\n");
    assert_eq!(tests::slam(&["check", "--check", "reach", &file]).verdict(), "ERROR(no checks)");
}

#[test]
fn deep_nesting() {
    let mut text = String::from("int main(void) {\n    return ");
    text.push_str(&"(".repeat(100_000));
    text.push('1');
    text.push_str(&")".repeat(100_000));
    text.push_str(";\n}\n");
    refused(&file("deep.c", text.as_bytes()), "unsupported", Some(2));
}
