//! What the loop does when no new predicate comes: every step of the escalation, in a program that needs it. The
//! predicates are given, and `--refiner off` keeps the loop from finding better ones.

use tests::{Run, slam};

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

fn check(name: &str, program: &str, predicates: &str) -> Run {
    let file = testing::file(&format!("{name}.c"), format!("{HEAD}{program}"));
    let given = testing::file(&format!("{name}.preds"), predicates);
    slam(&[
        "check",
        &file,
        "--predicates",
        &given,
        "--tune",
        "refiner=off",
        "--tune",
        "without=executions",
        "--tune",
        "blocks=basic",
        "-v",
    ])
}

fn require(run: &Run, how: &str, not: &[&str]) {
    assert_eq!(run.verdict(), "SAFE", "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(how), "decided by {how:?}:\n{}", run.stderr);
    for other in not {
        assert!(!run.stderr.contains(other), "without {other:?}:\n{}", run.stderr);
    }
}

const CUBES: &str = "conjunctions of up to";
const EXACT: &str = "abstracted exactly";

/// `1 <= y` before `if (y <= 2)` and `x = y`, which are one block, leaves `x == 1` or `x == 2`: each of them can be false, both
/// cannot.
#[test]
fn a_step_that_no_execution_takes_is_forbidden() {
    let program = "int main(void) {
    int x, y = __VERIFIER_nondet_int();
    if (y < 1 || y > 2) return 0;
    x = y;
    if (x != 1 && x != 2) reach_error();
    return 0;
}
";
    let run = check("step", program, "main { y < 1; y <= 2; x == 1; x == 2; }");
    require(&run, "- !{y <= 0} !'{x == 1} !'{x == 2}", &[CUBES, EXACT]);
}

/// The value of the argument follows from four predicates together.
#[test]
fn longer_conjunctions_are_tried() {
    let program = "void f(int s) { if (s != 4) reach_error(); }
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();
    if (a == 1) if (b == 1) if (c == 1) if (d == 1) f(a + b + c + d);
    return 0;
}
";
    let run = check("cubes", program, "main { a == 1; b == 1; c == 1; d == 1; } f { s == 4; }");
    require(&run, CUBES, &[EXACT]);
}

/// What a call returns leaves two values for the caller's variable, and only all predicates together say so.
#[test]
fn statements_of_the_path_are_abstracted_exactly() {
    let program = "int step(int n) {
    if (__VERIFIER_nondet_int()) return n + 1;
    return n + 2;
}
int main(void) {
    int x = 0;
    x = step(x);
    if (x != 1 && x != 2) reach_error();
    return 0;
}
";
    let returned = "step { ret__ <= (mathint) n; ret__ <= (mathint) n + 2; }";
    let run = check("exact", program, &format!("main {{ x == 0; x == 1; x == 2; }} {returned}"));
    require(&run, EXACT, &[]);
}
