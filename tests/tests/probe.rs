//! Concrete executions before the loop: the only execution of a program that asks for nothing is a proof, and whatever
//! can be different in another execution makes it none.

use std::fs;
use std::path::Path;
use tests::{Run, slam};

const FIBONACCI: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long size);
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
";

fn check(name: &str, main: &str, options: &[&str]) -> Run {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    fs::write(&file, format!("{FIBONACCI}int main(void) {{ {main} }}\n"))
        .expect("scratch files can be written");
    let mut args = vec!["check", file.to_str().expect("paths are UTF-8"), "--max-iterations", "2"];
    args.extend(options);
    slam(&args)
}

#[test]
fn the_only_execution_is_a_proof() {
    let run = check("only", "if (fibonacci(16) != 987) reach_error(); return 0;", &[]);
    assert_eq!((run.verdict(), run.code), ("SAFE", 0), "{}", run.stdout);
    assert!(run.stdout.contains("its only execution ends after"), "{}", run.stdout);
    let late = "int a, b; int *p = &b; int t[2]; if (fibonacci(16) != 987) reach_error(); a = b = t[1] = 3; return *p + a - t[1];";
    let run = check("late", late, &[]);
    assert!(run.stdout.contains("its only execution ends after"), "{}", run.stdout);
    let run = check("off", "if (fibonacci(16) != 987) reach_error(); return 0;", &["--probe", "off"]);
    assert!(run.verdict().starts_with("UNKNOWN"), "{}", run.stdout);
}

#[test]
fn a_long_execution_finds_its_error() {
    let run = check("deep", "if (fibonacci(22) == 17711) reach_error(); return 0;", &[]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
}

#[test]
fn what_could_be_otherwise_is_no_proof() {
    let otherwise = [
        ("input", "int x = __VERIFIER_nondet_int(); if (fibonacci(12) != 144) reach_error(); return x;"),
        ("uninitialised", "int x; if (fibonacci(12) != 144 || x == 77777) reach_error(); return 0;"),
        (
            "loop",
            "for (int i = 0; i < 2; i++) { int x; int *p = &x; if (i) { if (*p == 7) reach_error(); } else *p = 7; }",
        ),
        (
            "register",
            "for (int i = 0; i < 2; i++) { int x; if (i) { if (x == 7) reach_error(); } else x = 7; }",
        ),
        ("memory", "int *p = malloc(4); if (fibonacci(12) != 144 || !p) reach_error(); return 0;"),
        (
            "undefined",
            "extern void writes(int *); int x = 1; writes(&x); if (fibonacci(12) != 144 || x != 1) reach_error();",
        ),
        ("floating", "double d = 0.1; if (fibonacci(12) != 144 || d + 0.2 == 0.3) reach_error(); return 0;"),
        ("endless", "for (;;) { if (fibonacci(3) != 2) reach_error(); }"),
        ("overflow", "int x = 2147483647; x = x + 1; if (fibonacci(12) != 144) reach_error(); return 0;"),
    ];
    for (name, main) in otherwise {
        let run = check(name, main, &["--malloc-may-fail", "yes"]);
        assert!(!run.stdout.contains("its only execution"), "{name}: {}", run.stdout);
    }
}
