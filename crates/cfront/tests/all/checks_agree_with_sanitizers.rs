//! The checks against gcc's sanitizers: random small programs are compiled with `-fsanitize=undefined,address` and run,
//! and are instrumented with the same kinds and run by the interpreter. A sanitizer complains exactly when a check
//! fails. Without checks the interpreter ends in undefined behaviour only where a check fails.

use crate::common::{has_sanitizers, sanitized};
use cfront::Options;
use interp::{Inputs, Limits, Outcome, Reason, Value};
use ir::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Type};
use std::fmt::Write;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::{Dice, Scratch};

const PROGRAMS: u64 = 150;

const NUMBERS: [&str; 12] =
    ["a", "b", "a", "b", "0", "1", "-1", "3", "31", "2147483647", "(-2147483647-1)", "46341"];
const SMALL: [&str; 8] = ["a", "0", "1", "2", "3", "3", "4", "-1"];

fn expression(r: &mut Dice) -> String {
    // The compiler folds what is constant before the sanitizer sees it.
    let (x, y) = (r.word(&["a", "b"]), r.word(&NUMBERS));
    match r.below(7) {
        5 => format!("({y} {} {x})", r.word(&["+", "-", "*", "/", "%", "<<", ">>"])),
        0 => format!("-({x})"),
        1 => format!("({x} < {y} && {x} / {y})"),
        2 => format!("(int)(l + {x})"),
        _ => format!("({x} {} {y})", r.word(&["+", "-", "*", "/", "%", "<<", ">>"])),
    }
}

fn statement(r: &mut Dice) -> String {
    let (x, i) = (r.word(&NUMBERS), r.word(&SMALL));
    match r.below(16) {
        0..3 => format!("{} = {};", r.word(&["a", "b"]), expression(r)),
        3 => format!("l = l {} {x};", r.word(&["+", "-", "*"])),
        4 => format!("v[{i}] = {x};"),
        5 => format!("a = m[{}][{i}];", r.word(&["0", "1", "1", "2"])),
        6 => format!("{} = calloc({}, sizeof(int));", r.word(&["p", "q"]), r.word(&["1", "2"])),
        7 => format!("p = &v[{}];", r.word(&["0", "3", "4"])),
        8 => r.word(&["q = p;", "p = q;", "q = 0;"]).to_owned(),
        9 => format!("if (p) p = p + {};", r.word(&["1", "-1"])),
        10 => "free(q);".to_owned(),
        11 => format!("*{} = {x};", r.word(&["p", "q"])),
        12 => format!("if (q) a = q[{}];", r.word(&["0", "0", "1", "-1"])),
        13 => format!("if ({x} > {i}) b = {};", expression(r)),
        14 => format!("a {}= {x};", r.word(&["+", "-", "*", "/", "%"])),
        _ => format!("{};", r.word(&["a++", "b--", "p ? *p : 0", "a / b"])),
    }
}

fn body(seed: u64) -> String {
    let mut r = Dice::new(seed);
    let mut out = String::from(
        "{ int a = 5, b = -3, v[4] = {1,2,3,4}, m[2][4] = {{1}}; long l = 9223372036854775000; \
         int *p = v, *q = 0; int c = 1;\n",
    );
    let count = 2 + r.below(7);
    for _ in 0..count {
        let _ = writeln!(out, "  {}", statement(&mut r));
    }
    out.push_str("  c = a + 0 * b; return 0; }\n");
    out
}

const HEAD: &str = "void *calloc(unsigned long, unsigned long); void free(void *);\n";

/// Whether each program makes the sanitizers complain.
fn native(bodies: &[String]) -> Vec<bool> {
    let scratch = Scratch::new();
    let mut text = format!("{HEAD}int atoi(const char *);\n");
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(text, "static int f{n}(void) {body}");
    }
    text.push_str("int main(int n, char **v) { switch (atoi(v[1])) {\n");
    (0..bodies.len()).for_each(|n| _ = writeln!(text, "case {n}: return f{n}();"));
    text.push_str("} return 0; }\n");
    let (file, program) = (scratch.file("a.c", text), scratch.path().join("program"));
    sanitized(&file, &program);
    let complains = |n: usize| {
        let run = Command::new(&program).arg(n.to_string()).env("ASAN_OPTIONS", "detect_leaks=0").output();
        !run.expect("the program can be run").status.success()
    };
    (0..bodies.len()).map(complains).collect()
}

/// Watches the allocation with this number.
struct Watch(usize);

impl Inputs for Watch {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, _: &[EdgeId]) -> usize {
        let now = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        usize::from(now)
    }
}

fn outcomes(body: &str, checks: Vec<CheckKind>) -> Vec<Outcome> {
    let text = format!("{HEAD}int main(void) {body}");
    let options = Options { checks, malloc_may_fail: false, need_checks: false, ..Options::default() };
    let program = crate::common::load_with(&text, &options).program;
    let run = |watched| {
        interp::run(&program, &mut Watch(watched), &Limits::default(), &AtomicBool::new(false)).outcome
    };
    (0..10).map(run).collect()
}

#[test]
fn a_sanitizer_complains_exactly_when_a_check_fails() {
    use CheckKind::{Bounds, Div0, Free, Null, Overflow, Shift, Uninit};
    let bodies: Vec<String> = (0..PROGRAMS).map(body).collect();
    if !has_sanitizers() {
        return testing::skipped("gcc with sanitizers");
    }
    let mut bad = 0;
    for (body, complains) in bodies.iter().zip(native(&bodies)) {
        let checked = outcomes(body, vec![Overflow, Div0, Null, Bounds, Shift, Uninit, Free]);
        let fails = checked.iter().any(|o| matches!(o, Outcome::CheckFailed(_)));
        let stuck = checked.iter().find(|o| matches!(o, Outcome::Stuck { .. }));
        // A run that watches another allocation ends at the first access to this one.
        assert!(stuck.is_none() || fails, "checks leave nothing undefined: {stuck:?}\n{body}");
        assert_eq!(fails, complains, "a check fails, a sanitizer complains:\n{body}");
        let free = &outcomes(body, vec![])[0];
        if matches!(free, Outcome::Stuck { reason: Reason::Undefined(_), .. }) {
            assert!(fails, "undefined without checks ({free:?}), but no check fails:\n{body}");
        }
        bad += u64::from(fails);
    }
    assert!(
        bad > PROGRAMS / 5 && bad < PROGRAMS * 9 / 10,
        "programs of both kinds: {bad} of {PROGRAMS} fail"
    );
}
