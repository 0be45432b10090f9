//! Every example in `examples/checks/` has the verdict that its first line declares, for the checks that it names:
//! each kind of check is proved and refuted at least once. An error must have been replayed, and the loop must find
//! it without the concrete probe too.

use std::path::Path;
use tests::{declared, example_names_in, root, slam};

/// Declares one test an example, and the list of them all.
macro_rules! examples {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn each_example_has_a_test() {
            assert_eq!(example_names_in("examples/checks"), [$(stringify!($name)),*]);
        }
    };
}

examples! {
    all_safe
    bounds_heap_unsafe
    bounds_safe
    bounds_unsafe
    div0_safe
    div0_unsafe
    free_inner_unsafe
    free_safe
    free_unsafe
    leak_safe
    leak_unsafe
    null_safe
    null_unsafe
    overflow_safe
    overflow_unsafe
    shift_safe
    shift_unsafe
    uninit_safe
    uninit_unsafe
    use_after_free_unsafe
}

fn check(name: &str) {
    let path = format!("examples/checks/{name}.c");
    let (verdict, checks) = declared(&root().join(Path::new(&path)));
    let common = ["check", &path, "--check", &checks, "--time-limit", "60s"];
    let run = slam(&common);
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    if verdict == "SAFE" {
        assert_eq!((run.verdict(), run.code), ("SAFE", 0), "\n{shown}");
        return;
    }
    let at = format!("UNSAFE({checks}) at {path}:");
    assert!(run.verdict().starts_with(&at) && run.code == 10, "\n{shown}");
    let run = slam(&[&common[..], &["--probe", "off"]].concat());
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    assert!(run.verdict().starts_with(&at) && run.stdout.contains("replayed"), "\n{shown}");
}

#[test]
fn tasks_choose_checks_and_compare_verdicts() {
    let run = slam(&["check", "examples/checks/tasks/memsafety.yml"]);
    assert_eq!(run.verdict(), "SAFE", "\n{}", run.stderr);
    assert!(run.stdout.contains("expected by the task: true (as found)\n"), "\n{}", run.stdout);
    let run = slam(&["check", "examples/checks/tasks/overflow.yml"]);
    assert!(run.verdict().starts_with("UNSAFE(overflow)"), "\n{}", run.stderr);
    // What is left at the end may still be pointed to, which that property allows.
    let property = ["--property", "examples/checks/tasks/valid-memsafety.prp"];
    let run = slam(&[&["check", "examples/checks/leak_unsafe.c"][..], &property].concat());
    assert_eq!(run.verdict(), "UNKNOWN(memory not freed)", "\n{}", run.stderr);
}
