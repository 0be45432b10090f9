//! The models of the C library against the machine's own: programs that call many functions many times are run natively
//! and by the interpreter of C--, which runs the models.

use cfront::{Frontend, Options};
use interp::{Limits, Outcome, Value, ZeroInputs};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::Scratch;

fn load(text: &str, entry: &str) -> Frontend {
    let text = format!("{text}\nvoid reach_error(void); static void dead(void) {{ reach_error(); }}\n");
    let options = Options { entry: entry.into(), ..Options::default() };
    let front = crate::common::load_named("a.c", &text, &options)
        .unwrap_or_else(|f| panic!("{}", crate::common::render(&f)));
    assert_eq!(ir::check::check(&front.program), Vec::<String>::new());
    front
}

/// The result of a function without parameters, by the interpreter.
fn interpreted(text: &str, entry: &str) -> u32 {
    let program = load(text, entry).program;
    let limits = Limits { steps: 20_000_000, ..Limits::default() };
    let run = interp::run(&program, &mut ZeroInputs, &limits, &AtomicBool::new(false));
    match run.outcome {
        Outcome::Finished(Some(Value::Int(v))) => v as u32,
        other => panic!("{entry}: the interpreter ends with {other:?}"),
    }
}

/// The same by the compiled program.
fn native(text: &str, entries: &[&str]) -> Vec<u32> {
    let scratch = Scratch::new();
    let calls: String = entries.iter().map(|e| format!("printf(\"%u\\n\", {e}());")).collect();
    let main =
        format!("#define _GNU_SOURCE\n{text}\n#include <stdio.h>\nint main(void) {{ {calls} return 0; }}\n");
    let file = scratch.file("t.c", main);
    let program = scratch.path().join("t");
    let compiled =
        Command::new("cc").args(["-std=gnu11", "-w", "-O0", "-o"]).arg(&program).arg(&file).output();
    let compiled = compiled.expect("cc can be run");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("the compiled program can be run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|l| l.parse().expect("the program prints numbers")).collect()
}

#[test]
fn models_agree_with_the_library() {
    let text = format!("#define _GNU_SOURCE\n{}", include_str!("../programs/library.c"));
    let parts = ["pairs", "characters", "searches", "conversions", "sorting", "allocation", "others"];
    let theirs = native(&text, &parts);
    let ours: Vec<u32> = parts.iter().map(|p| interpreted(&text, p)).collect();
    let wrong: Vec<&&str> =
        parts.iter().zip(ours.iter().zip(&theirs)).filter(|(_, (a, b))| a != b).map(|(p, _)| p).collect();
    assert!(wrong.is_empty(), "{wrong:?} differ");
}
