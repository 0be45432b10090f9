//! Concrete executions before the loop: where all executions are the same, an error far away is found.

use std::path::Path;
use tests::slam;

#[test]
fn a_long_execution_finds_its_error() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deep.c");
    let text = "extern void reach_error(void);
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) { int x, y; x = 22; if (fibonacci(x) == 17711) reach_error(); y = 0; return y; }
";
    std::fs::write(&file, text).expect("scratch files can be written");
    let run = slam(&["check", file.to_str().expect("paths are UTF-8"), "--max-iterations", "2"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
    assert!(run.stdout.contains("replayed"), "{}", run.stdout);
}
