//! The model checkers of boolean programs agree about the abstractions that the loop makes of C programs.

use std::fs;
use tests::{binary, slam};

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
fn model_checkers_agree_about_abstractions() {
    let (mut reached, mut not) = (0, 0);
    for name in EXAMPLES {
        let folder = testing::Scratch::new();
        let saved = folder.path().join("saved");
        let text = saved.display().to_string();
        let file = format!("examples/{name}.c");
        slam(&["check", &file, "--tune", "without=executions", "--time-limit", "60s", "--save", &text]);
        let mut iterations: Vec<_> =
            fs::read_dir(&saved).expect("iterations are saved").flatten().map(|entry| entry.path()).collect();
        iterations.sort();
        for iteration in iterations.into_iter().filter(|path| path.is_dir()) {
            let program = iteration.join("abstraction.bp").display().to_string();
            let codes = ["bebop", "getafix", "zing"].map(|checker| binary(checker, &[&program, "-q"]).code);
            assert!(codes == [0; 3] || codes == [10; 3], "{name}, {program}: {codes:?}");
            if codes[0] == 10 { reached += 1 } else { not += 1 }
        }
    }
    assert!(reached > EXAMPLES.len() && not > 0, "{reached} abstractions reach an error, {not} do not");
}
