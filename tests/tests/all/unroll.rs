//! Unrolled programs: loops with few iterations need no invariants, errors behind many iterations no predicates, and
//! the certificate says how many iterations there are.

use serde_json::Value;
use tests::slam;

/// The sum of the first squares, about which no predicate without a product says anything.
const SQUARES: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int squares(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += i * i;
    return sum;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 12)
        return 0;
    if (squares(n) > 650)
        reach_error();
    return 0;
}
";

#[test]
fn few_turns_need_no_invariant() {
    let (file, result) = (testing::file("a.c", SQUARES), testing::file("result.json", ""));
    let (file, result) = (file.as_str(), result.as_str());
    let options = ["--tune", "without=executions,induction,max-iterations=2", "-v"];
    let run = slam(&[&["check", file, "--certify", "--json", result][..], &options].concat());
    assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("a.c:5:   at most 12 turns"), "{}", run.stdout);
    assert!(run.stdout.contains("certified: all executions were followed again"), "{}", run.stdout);
    assert!(run.stderr.contains("unrolled: up to 8 turns of each loop: no check fails\n"), "{}", run.stderr);
    let without = slam(&[&["check", file, "--tune", "without=unrolling"][..], &options].concat());
    assert_eq!(without.verdict(), "UNKNOWN(iterations)", "{}", without.stdout);

    let text = std::fs::read_to_string(result).expect("the result was written");
    let written: Value = serde_json::from_str(&text).expect("results are JSON");
    assert_eq!(written["certificate"]["unrolled"], serde_json::json!({ "turns": 12 }));
    assert_eq!(written["unrolled"][0]["turns"], 12);
    assert_eq!(slam(&["certify", file, result]).verdict(), "SAFE");
    // One turn less does not cover every execution.
    std::fs::write(result, text.replace("\"turns\": 12", "\"turns\": 11")).expect("it can be written");
    assert_eq!(slam(&["certify", file, result]).verdict(), "UNKNOWN(not certified)");
    std::fs::write(result, text.replace("\"turns\": 12", "\"turns\": true")).expect("it can be written");
    assert_eq!(slam(&["certify", file, result]).verdict(), "ERROR(result)");
}

/// With a sum that is reached after twelve turns.
#[test]
fn an_error_behind_many_turns_is_found_and_replayed() {
    let file = testing::file("a.c", SQUARES.replace("650", "649"));
    let run = slam(&["check", &file, "--tune", "without=executions,max-iterations=4", "-v"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("a check may fail"), "{}", run.stderr);
    assert!(run.stdout.contains("replayed"), "{}", run.stdout);
}

/// What is over-approximated gives no error, and executions beyond the turns no proof.
#[test]
fn nothing_is_said_without_confirmation() {
    let float = "extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
int main(void) { long double x = __VERIFIER_nondet_double(); if (x * 0.0L > 1.0L) reach_error(); return 0; }
";
    let endless = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int turns = 0, sum = 0;
    while (__VERIFIER_nondet_int()) { sum = (sum * 7 + turns) % 1009; turns++; if (turns > 100000) break; }
    if (turns > 99999 && sum == 3) reach_error();
    return 0;
}
";
    for text in [float, endless] {
        let file = testing::file("a.c", text);
        let run = slam(&["check", &file, "--tune", "without=executions,max-iterations=8", "-v"]);
        assert!(run.verdict().starts_with("UNKNOWN"), "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("unrolled: up to 2 turns"), "{}", run.stderr);
    }
}

/// An object is filled byte by byte, more turns than are tried; a function that nobody defines may write to it; and on the way to one of
/// the errors memory in front of it is written, which is undefined. The other error is found by a run.
#[test]
fn an_error_past_undefined_behaviour_is_found_and_replayed() {
    let text = "#include <stdlib.h>
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
extern void look_at(void *);
struct state { int number; unsigned char mode; short left; char text[400]; };
int main(void) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        return 0;
    for (unsigned long i = 0; i < sizeof *s; i++)
        ((char *)s)[i] = __VERIFIER_nondet_char();
    look_at(s);
    if (s->mode == 200) {
        struct state *before = s - 1;
        before->left = 1;
        if (before->left)
            reach_error();
    }
    if (s->number == 123456789 && s->left == -2)
        reach_error();
    return 0;
}
";
    let run = slam(&["check", &testing::file("a.c", text), "-v"]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("a.c:20:9: error: reach_error() is called"), "{}", run.stdout);
    // The 408 iterations of the loop are those that it takes, whatever is asked for.
    assert!(run.stderr.contains("unrolled: up to 3 turns of each loop: a check may fail"), "{}", run.stderr);
    // Where every error is behind such a write there is no answer.
    let none = text.replace("s->number == 123456789 && s->left == -2", "s->left > 32767");
    let run = slam(&["check", &testing::file("a.c", &none)]);
    assert_eq!(run.verdict(), "UNKNOWN(undefined behaviour)", "{}{}", run.stdout, run.stderr);
}
