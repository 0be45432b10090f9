//! A log of `-v` for each way to decide: it shows in which order methods run, and pins it.

use tests::{golden, slam, without_times};

/// The program's log and answer are those of `tests/golden/ways/NAME.log`; the log says what the way says of itself.
fn decides(name: &str, args: &[&str], says: &str) {
    let run = slam(&[&["check", "-v"], args].concat());
    let log = without_times(&format!("{}{}", run.stderr, run.stdout));
    assert!(log.contains(says), "{name}: no `{says}` in\n{log}");
    golden(&format!("ways/{name}.log"), &log);
}

#[test]
fn executions() {
    decides("executions", &["examples/spinlock_unsafe.c"], "");
}
