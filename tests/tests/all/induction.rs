//! Induction over the iterations of loops: its proofs can be checked again, beside those of the loop, and a certificate
//! that claims more is refused.

use serde_json::Value;
use tests::{declared_verdict, example_names_in, parallel, slam};

/// A sum that needs a relation of degree two, over as many turns as somebody likes.
const SUM: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    long long n = 0, sum = 0;
    while (__VERIFIER_nondet_int() && n < 30000) {
        n = n + 1;
        sum = sum + n;
    }
    if (2 * sum != n * (n + 1))
        reach_error();
    return 0;
}
";

#[test]
fn polynomial_sums_are_shown() {
    let (file, result) = (testing::file("a.c", SUM), testing::file("result.json", ""));
    let (file, result) = (file.as_str(), result.as_str());
    let run = slam(&["check", file, "-v", "--certify", "--json", result]);
    assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("found by induction over "), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("at the loop, "), "{}", run.stdout);
    assert!(run.stdout.contains("hold by induction over 1 turn and imply the checks"), "{}", run.stdout);
    assert!(run.stderr.contains("candidates hold; all checks hold"), "{}", run.stderr);
    let without = slam(&["check", file, "-v", "--tune", "without=induction"]);
    assert!(
        !without.stdout.contains("induction") && !without.stderr.contains("induction"),
        "{}",
        without.stdout
    );

    let text = std::fs::read_to_string(result).expect("the result was written");
    assert_eq!(slam(&["certify", file, result]).verdict(), "SAFE");
    let written: Value = serde_json::from_str(&text).expect("results are JSON");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut other = written.clone();
        change(&mut other["certificate"]["inductive"]);
        std::fs::write(result, other.to_string()).expect("it can be written");
        slam(&["certify", file, result]).verdict().to_owned()
    };
    // Without the invariants nothing follows; a false one is not kept, and adds nothing.
    assert_eq!(changed(&|claim| claim["invariants"] = Value::Array(vec![])), "UNKNOWN(not certified)");
    let false_one = |claim: &mut Value| {
        for invariant in claim["invariants"].as_array_mut().expect("a list") {
            invariant["condition"] = "2 * sum == n * (n + 2)".into();
        }
    };
    assert_eq!(changed(&false_one), "UNKNOWN(not certified)");
    assert_eq!(changed(&|claim| claim["turns"] = 0.into()), "ERROR(result)");
    assert_eq!(changed(&|claim| claim["invariants"][0]["location"] = 1000.into()), "ERROR(result)");
    assert_eq!(changed(&|claim| claim["invariants"][0]["condition"] = "n ==".into()), "ERROR(result)");
}

#[test]
fn a_wrong_sum_is_no_sum() {
    let file = testing::file("a.c", SUM.replace("n * (n + 1)", "n * (n + 1) + (n > 20000)"));
    let run = slam(&["check", &file, "--tune", "without=executions", "--time-limit", "4s"]);
    assert_ne!(run.verdict(), "SAFE", "{}", run.stdout);
}

/// The days of a calendar: each path needs the values of quotients of quotients, and no abstraction of them terminates.
const DAYS: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
long days(long year) { return 365 * year + year / 4 - year / 100 + year / 400; }
long year_of(long day) { return (day - day / 1460 + day / 36524 - day / 146096) / 365; }
int main(void) {
    long day = __VERIFIER_nondet_int();
    if (day < 0 || day > 146096) return 0;
    long year = year_of(day);
    long rest = day - days(year);
    long month = (5 * rest + 2) / 153;
    if (month >= 10) year = year + 1;
    if (month > 12 || year > 400) reach_error();
    return 0;
}
";

#[test]
fn large_predicates_are_a_reason_to_try_it_before_they_are_abstracted() {
    let run = slam(&["check", &testing::file("days.c", DAYS), "-v", "--certify"]);
    assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("all checks hold\n\niteration 2 "), "{}", run.stderr);
    assert!(run.stdout.contains("certified: "), "{}", run.stdout);
}

/// Beside the sum, a number that goes round in one of several cycles, of which the values say little but to the loop.
const CYCLE: &str = "    unsigned s = 0;
    while (__VERIFIER_nondet_int()) {
        s = (s * 3 + 1) % 8;
        if (s == 2)
            reach_error();
    }
    return 0;
";

#[test]
fn what_the_loop_assumes_is_shown_too() {
    let text = SUM.replace("    return 0;\n", CYCLE);
    let (file, result) = (testing::file("a.c", text), testing::file("result.json", ""));
    let (file, result) = (file.as_str(), result.as_str());
    let run = slam(&["check", file, "-v", "--tune", "without=unrolling", "--certify", "--json", result]);
    assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("induction over 1 turn: 1 check more hold"), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("certified: 1 check shown again by induction"), "{}", run.stdout);
    let again = slam(&["certify", file, result]);
    assert_eq!(again.verdict(), "SAFE", "{}{}", again.stdout, again.stderr);
    let text = std::fs::read_to_string(result).expect("the result was written");
    let mut written: Value = serde_json::from_str(&text).expect("results are JSON");
    written["certificate"]["held"][0]["inductive"]["invariants"] = Value::Array(vec![]);
    std::fs::write(result, written.to_string()).expect("it can be written");
    assert_eq!(slam(&["certify", file, result]).verdict(), "UNKNOWN(not certified)");
}

/// The file of the result, the result, and what its certificate says of ranges.
fn ranges_of(name: &str, checks: &str) -> (String, Value, Vec<Value>) {
    let file = tests::root().join("examples/everyday").join(name);
    let (file, result) = (file.to_str().expect("a path"), testing::file("result.json", ""));
    let run = slam(&["check", file, "--check", checks, "--json", &result, "--time-limit", "60s"]);
    assert!(run.verdict().starts_with("SAFE"), "{}{}", run.stdout, run.stderr);
    assert!(slam(&["certify", file, &result]).verdict().starts_with("SAFE"));
    let text = std::fs::read_to_string(&result).expect("the result was written");
    let written: Value = serde_json::from_str(&text).expect("results are JSON");
    let all = written["certificate"]["inductive"]["invariants"].as_array().expect("a list").clone();
    let ranges: Vec<Value> = all.into_iter().filter(|i| !i["for_all"].is_null()).collect();
    (result, written, ranges)
}

#[test]
fn facts_about_all_elements_are_certified() {
    let (_, _, ranges) = ranges_of("big_number.c", "reach,bounds");
    assert!(ranges.iter().any(|i| i["condition"] == "n->digit[i] >= 0"), "{ranges:?}");
    let (result, written, ranges) = ranges_of("sorting.c", "reach");
    assert!(ranges.iter().any(|i| i["condition"] == "a[n] >= a[n - 1]"), "{ranges:?}");
    let file = tests::root().join("examples/everyday/sorting.c");
    let file = file.to_str().expect("a path");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut other = written.clone();
        let all = other["certificate"]["inductive"]["invariants"].as_array_mut().expect("a list");
        all.iter_mut().filter(|i| !i["for_all"].is_null()).for_each(change);
        std::fs::write(&result, other.to_string()).expect("it can be written");
        slam(&["certify", file, &result]).verdict().to_owned()
    };
    let empty = |i: &mut Value| i["for_all"]["to"] = i["for_all"]["from"].clone();
    assert_eq!(changed(&empty), "UNKNOWN(not certified)");
    for (member, wrong) in [("variable", "none"), ("to", "n +"), ("from", "NULL")] {
        assert_eq!(changed(&|i| i["for_all"][member] = wrong.into()), "ERROR(result)", "{member}");
    }
}

#[test]
fn bits_out_parameters_and_small_matrices_need_no_help() {
    for name in testing::sample(vec!["matrix.c", "bit_tricks.c", "ring_buffer.c"], 3) {
        ranges_of(name, "reach,overflow,bounds,uninit");
    }
}

#[test]
fn loops_over_arrays_have_the_verdict_beside_them() {
    let names = example_names_in("examples/arrays");
    assert!(names.len() >= 30);
    let names = testing::sample(names, 4);
    let verdicts = parallel(2, names.len(), |i| {
        let file = tests::root().join("examples/arrays").join(format!("{}.c", names[i]));
        let checks = ["check", "--check", "reach,bounds", "--time-limit", "60s"];
        let run = slam(&[&checks[..], &[file.to_str().expect("a path")]].concat());
        (declared_verdict(&file), run.verdict().split('(').next().unwrap_or_default().to_owned())
    });
    for (name, (declared, said)) in names.iter().zip(verdicts) {
        assert_eq!(said, declared, "{name}");
    }
}
