//! The other engines give the same verdicts as the model checker that is used without them.

use tests::{declared_verdict, root, slam};

/// Examples whose abstractions have few states.
const EXAMPLES: [&str; 8] = [
    "spinlock_safe",
    "spinlock_unsafe",
    "swap_pointers",
    "early_return_unsafe",
    "goto_cleanup_unsafe",
    "recursion_global",
    "call_value_result",
    "struct_argument",
];

#[test]
fn explicit_states_give_the_same_verdicts() {
    same_verdicts("zing");
}

#[test]
fn formulae_give_the_same_verdicts() {
    same_verdicts("getafix");
}

fn same_verdicts(engine: &str) {
    let mut found = 0;
    for name in EXAMPLES {
        let path = format!("examples/{name}.c");
        let declared = declared_verdict(&root().join(&path));
        let run =
            slam(&["check", &path, "--engine", engine, "--tune", "probe=off", "--time-limit", "60s", "-v"]);
        let expected = if declared == "SAFE" { "SAFE" } else { "UNSAFE(reach)" };
        assert!(run.verdict().starts_with(expected), "{engine}, {name}:\n{}\n{}", run.stdout, run.stderr);
        // The log names the model checker that has found the error: bebop only says that there is none.
        let errors = |checker: &str| run.stderr.matches(&format!("  {checker:<8} error reachable")).count();
        assert_eq!(errors("bebop"), 0, "{engine}, {name}:\n{}", run.stderr);
        found += errors(engine);
    }
    assert!(found > EXAMPLES.len(), "{engine} has found {found} errors");
}
