//! Golden files of each stage for a few small examples: the C-- program, the boolean program of the last iteration,
//! the traces and refinement logs of all iterations, and what the user sees. `BLESS=1` rewrites them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tests::{golden, slam};

/// The folders `iter-1`, `iter-2`, … that a run saved.
fn iterations(folder: &Path) -> Vec<PathBuf> {
    (1..).map(|n| folder.join(format!("iter-{n}"))).take_while(|p| p.is_dir()).collect()
}

/// The files of this name from all iterations, one after the other; not every iteration has each.
fn concatenated(iterations: &[PathBuf], file: &str) -> String {
    let mut out = String::new();
    for (index, folder) in iterations.iter().enumerate() {
        if let Ok(text) = fs::read_to_string(folder.join(file)) {
            let _ = write!(out, "== iteration {}\n{text}", index + 1);
        }
    }
    out
}

fn stages(name: &str) {
    let file = format!("examples/{name}.c");
    let cmm = slam(&["cmm", &file]);
    assert_eq!(cmm.code, 0, "{}", cmm.stderr);
    golden(&format!("{name}/program.cmm"), &cmm.stdout);

    let folder = testing::folder();
    let save = testing::text(&folder);
    // The programs are so small that constants alone would decide some.
    let alone = ["--tune", "without=executions,propagate=off", "--time-limit", "60s"];
    let run = slam(&[&["check", &file, "--save", save][..], &alone].concat());
    golden(&format!("{name}/answer.txt"), &run.stdout);

    let iterations = iterations(&folder);
    let last = iterations.last().expect("--save writes iter-1");
    let abstraction =
        fs::read_to_string(last.join("abstraction.bp")).expect("each iteration has an abstraction");
    golden(&format!("{name}/abstraction.bp"), &abstraction);
    golden(&format!("{name}/predicates.txt"), &concatenated(&iterations, "predicates.preds"));
    golden(&format!("{name}/traces.txt"), &concatenated(&iterations, "trace.txt"));
    golden(&format!("{name}/refinement.txt"), &concatenated(&iterations, "refinement.txt"));
}

#[test]
fn slide14() {
    stages("slide14");
}

#[test]
fn call_value_result() {
    stages("call_value_result");
}

#[test]
fn call_pointer_argument() {
    stages("call_pointer_argument");
}

#[test]
fn spinlock_unsafe() {
    stages("spinlock_unsafe");
}
