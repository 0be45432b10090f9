//! Concrete executions: where all executions are the same, and with inputs that a refuted path suggests, an error far
//! away is found.

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

/// The error needs exactly a thousand turns of the loop: a path with one turn tells which input leads there.
#[test]
fn inputs_of_a_refuted_path_lead_to_an_error_far_away() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("turns.c");
    let text = "extern void reach_error(void);
extern unsigned int __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned int n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n)
        i = i + 1;
    if (i == 1000)
        reach_error();
    return 0;
}
";
    std::fs::write(&file, text).expect("scratch files can be written");
    let run = slam(&["check", file.to_str().expect("paths are UTF-8"), "-v", "--max-iterations", "5"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("inputs of this path"), "found by these inputs:\n{}", run.stderr);
}

/// Proofs are about defined executions; a program whose executions all leave an array first is not proved by that.
#[test]
fn an_execution_that_goes_astray_is_no_proof() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("astray.c");
    let text = "extern void reach_error(void);
int main(void) {
    int a[2] = {1, 2};
    int sum = 0;
    for (int i = 0; i <= 2; i++)
        sum += a[i];
    if (sum != 3)
        reach_error();
    return 0;
}
";
    std::fs::write(&file, text).expect("scratch files can be written");
    let file = file.to_str().expect("paths are UTF-8");
    let run = slam(&["check", file]);
    assert_eq!(run.verdict(), "UNKNOWN(undefined behaviour)", "{}", run.stdout);
    assert!(run.stdout.contains("astray.c:6: index outside of an array"), "{}", run.stdout);
    let run = slam(&["check", file, "--check", "bounds"]);
    assert!(run.verdict().starts_with("UNSAFE(bounds)"), "{}", run.stdout);
}
