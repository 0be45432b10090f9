//! Concrete executions: where all executions are the same, and with inputs that a refuted path suggests, an error far
//! away is found.

use tests::slam;

#[test]
fn a_long_execution_finds_its_error() {
    let text = "extern void reach_error(void);
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) { int x, y; x = 22; if (fibonacci(x) == 17711) reach_error(); y = 0; return y; }
";
    let file = testing::file("a.c", text);
    let run = slam(&["check", &file, "--tune", "max-iterations=2"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
    assert!(run.stdout.contains("replayed"), "{}", run.stdout);
}

/// The error needs 1,001 iterations of the loop, a number that the program does not name: a path with one iteration
/// shows which input leads there.
#[test]
fn inputs_of_a_refuted_path_lead_to_an_error_far_away() {
    let text = "extern void reach_error(void);
extern unsigned int __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned int n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n)
        i = i + 1;
    if (3 * i == 3003)
        reach_error();
    return 0;
}
";
    let file = testing::file("a.c", text);
    let run = slam(&["check", &file, "-v", "--tune", "max-iterations=5"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("inputs of this path"), "found by these inputs:\n{}", run.stderr);
}

/// Proofs are about defined executions; a program whose executions all leave an array first is not proved by that.
#[test]
fn an_execution_that_goes_astray_is_no_proof() {
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
    let file = testing::file("a.c", text);
    let file = &file;
    let run = slam(&["check", file]);
    assert_eq!(run.verdict(), "UNKNOWN(undefined behaviour)", "{}", run.stdout);
    assert!(run.stdout.contains("a.c:6: index i outside of a[2] (sum = 3, i = 2)"), "{}", run.stdout);
    let run = slam(&["check", file, "--check", "bounds"]);
    assert!(run.verdict().starts_with("UNSAFE(bounds)"), "{}", run.stdout);
}

/// The loop alone, for too short to find invariants.
const LITTLE: [&str; 2] = ["--tune", "max-iterations=2,without=unrolling,induction"];

/// Where the loop finds no invariants, a program that asks for nothing is decided by its only execution, and the
/// certificate is that execution.
#[test]
fn the_only_execution_decides_where_the_loop_does_not() {
    let text = "extern void reach_error(void);
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) { if (fibonacci(15) != 610) reach_error(); return 0; }
";
    let (file, result) = (testing::file("a.c", text), testing::file("result.json", ""));
    let (file, result) = (file.as_str(), result.as_str());
    let run = slam(&[&["check", file, "-v", "--certify", "--json", result][..], &LITTLE].concat());
    assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("so that it has one execution"), "{}", run.stdout);
    assert!(run.stdout.contains("certified: the execution was repeated"), "{}", run.stdout);
    assert!(run.stderr.contains("no invariants (iterations)"), "{}", run.stderr);
    let again = slam(&["certify", file, result]);
    assert_eq!(again.verdict(), "SAFE", "{}{}", again.stdout, again.stderr);
    let text = std::fs::read_to_string(result).expect("the result was written");
    let steps: serde_json::Value = serde_json::from_str(&text).expect("results are JSON");
    let (told, other) = (&steps["certificate"]["execution"]["steps"], "\"steps\": 1");
    let changed = text.replace(&format!("\"steps\": {told}"), other);
    assert_ne!(text, changed);
    std::fs::write(result, changed).expect("scratch files can be written");
    let again = slam(&["certify", file, result]);
    assert_eq!(again.verdict(), "UNKNOWN(not certified)", "{}{}", again.stdout, again.stderr);
}

/// What nobody reads asks for nothing: the result of `printf` does not make two executions of one, and a type of a header that
/// no object has does not matter. A result that is read does.
#[test]
fn what_is_not_read_asks_for_nothing() {
    let text = "#include <stdio.h>
extern void reach_error(void);
int steps(int n) { int s = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; s++; } return s; }
int main(void) {
    int n, m = 0;
    n = steps(27);
    READ printf(\"%d\", n);
    if (n + m < 111) reach_error();
    return 0;
}
";
    for (read, one) in [("", true), ("m =", false)] {
        let file = testing::file("a.c", text.replace("READ", read));
        let run = slam(&[&["check", &file, "--check", "reach,uninit"][..], &LITTLE].concat());
        assert_eq!(run.stdout.contains("so that it has one execution"), one, "{}{}", run.stdout, run.stderr);
    }
}

/// What the interpreter answers about addresses and their numbers is one of several possible answers.
#[test]
fn an_execution_that_looks_at_addresses_is_not_the_only_one() {
    let programs = [
        "int a = 128; int *p = &a; int main(void) { if ((long)p == 128) reach_error(); return 0; }",
        "int a, b; int main(void) { int *p = &a + 1, *q = &b; if (p == q) reach_error(); return 0; }",
        "int a; int *p = &a; int main(void) { long *q = (long *)&p; if (*q == 77) reach_error(); return 0; }",
        "union { int *p; long n; } u; int a; int main(void) { u.p = &a; if (u.n == 77) reach_error(); return 0; }",
        "int a[2]; int main(void) { if (&a[0] > &a[1]) reach_error(); return 0; }",
        "int x = 16777217; int main(void) { if ((float)x == (double)x) reach_error(); return 0; }",
    ];
    for text in programs {
        let file = testing::file("a.c", format!("extern void reach_error(void);\n{text}\n"));
        let run = slam(&["check", &file, "-v", "--tune", "max-iterations=1"]);
        assert!(!run.stderr.contains("its only execution"), "{text}\n{}", run.stderr);
        assert!(!run.stdout.contains("one execution"), "{text}\n{}", run.stdout);
    }
}
