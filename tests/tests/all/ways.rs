//! A log of `-v` for each way to decide: it shows in which order methods run, and pins it. `BLESS=1` writes the logs anew.

use tests::{golden, slam, without_times};

/// Where the programs are that are no examples, and all logs.
const FOLDER: &str = "tests/golden/ways";

/// The program's log and answer are those of `tests/golden/ways/NAME.log`, in which the method names itself.
fn decides(name: &str, args: &[&str], method: &str) {
    let run = slam(&[&["check", "-v"], args].concat());
    let log = without_times(&format!("{}{}", run.stderr, run.stdout));
    assert!(log.contains(method), "{name}: no `{method}` in\n{log}");
    golden(&format!("ways/{name}.log"), &log);
}

fn own(name: &str) -> String {
    format!("{FOLDER}/{name}.c")
}

/// Concrete executions with random inputs come first.
#[test]
fn executions() {
    decides("executions", &["examples/spinlock_unsafe.c"], "probe: execution 2 fails a check");
}

/// The abstraction's path is feasible: the prover's model has inputs.
#[test]
fn feasible_path() {
    decides("path", &[&own("path")], "newton   feasible: ");
}

/// The abstraction has no error.
#[test]
fn abstraction() {
    decides("abstraction", &["examples/spinlock_safe.c"], "bebop    error unreachable");
}

/// Zones decide checks of arithmetic before the first iteration.
#[test]
fn bounds_of_integers() {
    decides("bounds", &["--check", "div0", "examples/checks/div0_safe.c"], "bounds of integers: ");
}

/// Induction over loop iterations, with candidates from executions.
#[test]
fn induction() {
    decides("induction", &["examples/arrays/copy.c"], "found by induction over each turn of a loop");
}

/// Candidates of the user, shown by induction.
#[test]
fn given_invariants() {
    decides("given", &["--invariants", &format!("{FOLDER}/given.inv"), &own("given")], "(given)");
}

/// All paths with a bounded number of iterations, as one formula.
#[test]
fn unrolling() {
    decides("unrolling", &[&own("unrolling")], "found by unrolling the program");
}

/// Bit-vectors after a path that mathematical integers get wrong.
#[test]
fn bit_vectors() {
    decides("bits", &["--check", "convert", "examples/checks/convert_safe.c"], "again with bit-vectors");
}

/// A program without inputs has one execution, which decides where nothing else does.
#[test]
fn single_execution() {
    let without = ["--tune", "without=induction,unrolling"];
    decides(
        "single_execution",
        &[&without[..], &[&own("single_execution")]].concat(),
        "it has one execution",
    );
}

/// The threads that a loop starts, as any number of them.
#[test]
fn any_number_of_threads() {
    decides("threads", &[&own("threads")], "threads: any number of those that loops start");
}

/// Each check by itself: one that fails is left out for the others.
#[test]
fn each_check() {
    decides("each_check", &["--keep-going", "examples/checks/many/kinds.c"], "UNSAFE");
}
