//! Verification witnesses: written witnesses have the form that the format requires, refer to the right places, and are
//! confirmed when they are read again; changed ones are not.

use std::path::Path;
use tests::{Run, slam};

/// A fresh file for a witness.
fn file() -> String {
    testing::file("witness.yml", "")
}

/// Writes the witness of a program, and gives its text.
fn written(program: &str) -> (String, String) {
    let path = file();
    let run = slam(&["check", "--time-limit", "60s", "--write-witness", &path, program]);
    assert!(["SAFE", "UNSAFE"].iter().any(|v| run.verdict().starts_with(v)), "{}{}", run.stdout, run.stderr);
    let text = std::fs::read_to_string(&path).expect("it was written");
    (path, text)
}

fn validated(witness: &str, program: &str) -> Run {
    slam(&["check", "--time-limit", "60s", "--validate-witness", witness, program])
}

/// The value behind a key in a line of the witness.
fn value<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    line.trim().trim_start_matches("- ").strip_prefix(key)?.strip_prefix(": ")
}

/// For each waypoint or invariant of a witness: its type, its line and its column.
fn places(text: &str) -> Vec<(String, usize, usize)> {
    let (mut ty, mut line, mut out) = (String::new(), 0, vec![]);
    for row in text.lines() {
        if let Some(word) = value(row, "type") {
            ty = word.to_owned();
        }
        if let Some(number) = value(row, "line") {
            line = number.parse().expect("a number");
        }
        if let Some(number) = value(row, "column") {
            out.push((ty.clone(), line, number.parse().expect("a number")));
        }
    }
    out
}

/// Every place has at its column what the format wants there, and the target comes last and once.
fn point_at_what_they_say(text: &str, program: &str) {
    let source = std::fs::read_to_string(program).expect("it is there");
    let lines: Vec<&str> = source.lines().collect();
    let all = places(text);
    for (ty, line, column) in &all {
        let at: String = lines[line - 1].chars().skip(column - 1).collect();
        let starts = |words: &[&str]| words.iter().any(|w| at.starts_with(w));
        let fits = match ty.as_str() {
            "function_return" => starts(&[")"]),
            "branching" => starts(&["if", "while", "for", "switch", "?"]),
            "loop_invariant" => starts(&["while", "for", "do"]),
            _ => !at.starts_with(char::is_whitespace) && !at.is_empty(),
        };
        assert!(fits, "{ty} at {program}:{line}:{column}: {at}\n{text}");
    }
    let targets: Vec<usize> =
        all.iter().enumerate().filter(|(_, (ty, ..))| ty == "target").map(|(n, _)| n).collect();
    let is_error = text.contains("violation_sequence");
    assert_eq!(targets, if is_error { vec![all.len() - 1] } else { vec![] }, "{text}");
    assert_eq!(text.matches("action: follow").count(), text.matches("- segment:").count());
}

#[test]
fn witnesses_of_examples_are_confirmed() {
    let examples = vec![
        "examples/spinlock_safe.c",
        "examples/spinlock_unsafe.c",
        "examples/arrays/maximum_bug.c",
        "examples/arrays/histogram.c",
        "examples/checks/leak_unsafe.c",
        "examples/checks/bounds_heap_unsafe.c",
        "examples/call_value_result.c",
    ];
    for program in testing::sample(examples, 2) {
        let (path, text) = written(program);
        point_at_what_they_say(&text, program);
        assert!(text.contains("format_version: \"2.0\"") && text.contains("language: C"), "{text}");
        let run = validated(&path, program);
        assert_eq!((run.verdict(), run.code), ("CONFIRMED", 0), "{program}\n{}{}", run.stdout, run.stderr);
    }
}

/// Loops of each kind, several calls in one statement, conditions with parts, what was never assigned, names that hide others.
const MANY: &str = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint x = 3;\nint main(void) {\n    int u;\n    \
    int y = __VERIFIER_nondet_int() - __VERIFIER_nondet_int(); /* ) */\n    if (u != 7) return 0;\n    \
    for (int i = 0; i < 3; i++) { if (y == 2 && x != 4) y++; }\n    do { y--; } while (y > 5);\n    \
    /* \u{e4}\u{e4} */ while (__VERIFIER_nondet_int() > 9) { int x = y; y = x; }\n    assert(y != 2);\n    return 0;\n}\n";

#[test]
fn errors_are_told_by_what_they_pass() {
    let program = testing::file("many.c", MANY);
    let (path, text) = written(&program);
    point_at_what_they_say(&text, &program);
    assert!(text.contains("value: u == 7"), "{text}");
    let run = validated(&path, &program);
    assert_eq!(run.verdict(), "CONFIRMED", "{}{}\n{text}", run.stdout, run.stderr);
    // What leads elsewhere is not followed.
    for (old, new) in [("u == 7", "u == 8"), ("value: \"true\"", "value: \"false\"")] {
        let changed = testing::file("changed.yml", text.replacen(old, new, 1));
        let run = validated(&changed, &program);
        assert_eq!((run.verdict(), run.code), ("REFUTED(no execution follows it)", 10), "{old} -> {new}");
    }
}

/// Invariants are checked and never believed: one that fails is refuted by an execution, whatever the program is.
#[test]
fn invariants_are_never_believed() {
    let text = "#include <assert.h>\nstatic int n;\nint main(void) {\n    int i = 0;\n    \
        while (i < 10) {\n        i = i + 1;\n        n = i;\n    }\n    assert(i == 10);\n    return 0;\n}\n";
    let program = testing::file("count.c", text);
    let (_, good) = written(&program);
    let (head, _) = good.split_once("content:").expect("it has a content");
    let with = |condition: &str| {
        let changed = format!(
            "{head}content:\n    - invariant:\n        type: loop_invariant\n        location:\n          \
             file_name: count.c\n          line: 5\n        value: \"{condition}\"\n        format: c_expression\n"
        );
        let path = testing::file("changed.yml", &changed);
        let run = validated(&path, &program);
        (run.verdict().to_owned(), run.code, run.stderr)
    };
    let verdict = |condition: &str| with(condition).0;
    let guarded = "i == 0 || i + 2147483637 > 0 && i - 1 >= 0";
    for holds in ["i <= 10", "0 <= i && i < 11 && n == i", "i + 1 <= 11", "!(i > 10)", guarded] {
        let (verdict, code, stderr) = with(holds);
        assert_eq!((verdict.as_str(), code), ("CONFIRMED", 0), "{holds}: {stderr}");
    }
    for fails in ["i <= 9", "n != 10", "i == 0"] {
        assert_eq!(
            (verdict(fails), with(fails).1),
            (format!("REFUTED(invariant at {program}:5)"), 10),
            "{fails}"
        );
    }
    // What cannot be read, or might be undefined, is not checked, and nothing is confirmed.
    let overflows = [
        "i + 2147483647 >= i",
        "i * 2147483647 != 5 || 1",
        "i < 99999999999999999999999",
        "-(i - 2147483647 - 1) > 0",
    ];
    let others = ["k == 0", "i = 3", "10 / i > 0", "*(&i) == 0", "i << i > 0", "((((", "f()"];
    let long = format!("i <= 10 {}", "&& i + 2147483647 >= i ".repeat(100));
    for not_checked in others.into_iter().chain(overflows).chain([&*long]) {
        let (verdict, code, stderr) = with(not_checked);
        assert_eq!((verdict.as_str(), code), ("UNKNOWN(invariant not checked)", 5), "{not_checked}");
        assert!(stderr.contains("invariant `") && stderr.len() < 1000, "{stderr}");
    }
}

/// A proof of a program with an error is refuted, and an error of a safe one.
#[test]
fn witnesses_of_other_answers_are_refuted() {
    let hash = |path: &str| {
        let (_, text) = written(path);
        text.lines().find(|l| l.trim_start().starts_with(&format!("{path}: "))).expect("a hash").to_owned()
    };
    let about = |witness: &str, of: &str, other: &str| {
        let changed = witness.replace(&hash(of), &hash(other)).replace(of, other);
        testing::file("other.yml", &changed)
    };
    let (safe, wrong) = ("examples/spinlock_safe.c", "examples/spinlock_unsafe.c");
    let proof = about(&written(safe).1, safe, wrong);
    // The loop of the other program stands on another line.
    let verdict = validated(&proof, wrong).verdict().to_owned();
    assert_eq!(verdict, format!("REFUTED(reach at {wrong}:16)"));
    let error = about(&written(wrong).1, wrong, safe);
    assert_eq!(validated(&error, safe).verdict(), "REFUTED(no execution follows it)");
}

/// Whatever is given as a witness gets a verdict line, and a message with a place where it is refused.
#[test]
fn what_is_no_witness_is_refused() {
    let program = "examples/spinlock_safe.c";
    let (path, good) = written(program);
    let broken = testing::file("broken.yml", "a: [\n");
    let binary = testing::file("binary.yml", "\u{0}\u{1}\u{2}");
    let other =
        testing::file("other.yml", good.replace("input_file_hashes:", "input_file_hashes:\n        x: y"));
    let elsewhere = testing::file("elsewhere.yml", good.replace("data_model: LP64", "data_model: ILP32"));
    for bad in [&broken, &binary, "no/such/witness.yml", &elsewhere] {
        let run = validated(bad, program);
        assert_eq!((run.verdict(), run.code), ("ERROR(witness)", 2), "{bad}\n{}", run.stderr);
        let name = Path::new(bad).file_name().and_then(|n| n.to_str()).expect("a name");
        assert!(run.stderr.contains(&format!("{name}:")), "{}", run.stderr);
    }
    assert_eq!(validated(&other, program).verdict(), "CONFIRMED", "another file beside ours is no harm");
    assert_eq!(validated(&path, "examples/spinlock_unsafe.c").verdict(), "ERROR(witness)");
    let old = testing::file("old.yml", good.replace("\"2.0\"", "\"0.1\""));
    assert_eq!(validated(&old, program).verdict(), "UNKNOWN(witness not supported)");
    for option in ["--write-witness", "--validate-witness"] {
        assert_eq!(slam(&["check", option, &path, "-"]).code, 1, "standard input has no name");
    }
    // A run that decides nothing writes no witness, and says so.
    let none = file();
    std::fs::remove_file(&none).expect("it was made");
    let run = slam(&[
        "check",
        "--tune",
        "max-iterations=1",
        "--tune",
        "without=executions",
        "--tune",
        "without=unrolling",
        "--tune",
        "without=induction",
        "--write-witness",
        &none,
        program,
    ]);
    assert!(
        run.verdict().starts_with("UNKNOWN") && run.stderr.contains("no witness is written"),
        "{}",
        run.stderr
    );
    assert!(!Path::new(&none).exists());
}

/// What is avoided is not passed before the segment's last waypoint: an execution that does is none that is meant.
#[test]
fn what_is_avoided_is_not_passed() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = \
                __VERIFIER_nondet_int();\n  if (x > 0)\n    x = 7;\n  if (x > 5)\n    reach_error();\n}\n";
    let program = testing::file("avoid.c", text);
    let (path, whole) = written(&program);
    let (head, _) = whole.split_once("  content:\n").expect("it has a content");
    let waypoint = |kind: &str, action: &str, value: &str, line: usize, column: usize| {
        let constraint = match value {
            "" => String::new(),
            value => format!("            constraint:\n              value: \"{value}\"\n"),
        };
        format!(
            "        - waypoint:\n            type: {kind}\n            action: {action}\n{constraint}            location:\n              \
             file_name: {program}\n              line: {line}\n              column: {column}\n"
        )
    };
    let target = waypoint("target", "follow", "", 8, 5);
    let verdict = |waypoints: &[&str]| {
        let segment = format!("{head}  content:\n    - segment:\n{}{target}", waypoints.concat());
        std::fs::write(&path, segment).expect("it can be written");
        validated(&path, &program).verdict().to_owned()
    };
    let branch = |value: &str| waypoint("branching", "avoid", value, 5, 3);
    let result = |condition: &str| waypoint("function_return", "avoid", condition, 4, 33);
    assert_eq!(verdict(&[]), "CONFIRMED");
    // All executions that fail take the first branch, and their inputs are positive.
    assert_eq!(verdict(&[&branch("false")]), "CONFIRMED");
    assert_eq!(verdict(&[&branch("true")]), "REFUTED(no execution follows it)");
    assert_eq!(verdict(&[&result("\\\\result <= 0"), &branch("false")]), "CONFIRMED");
    assert_eq!(verdict(&[&result("\\\\result >= 1")]), "REFUTED(no execution follows it)");
    let held = |condition: &str| waypoint("assumption", "avoid", condition, 7, 3);
    assert_eq!(verdict(&[&held("x < 7")]), "CONFIRMED");
    assert_eq!(verdict(&[&held("x == 7")]), "REFUTED(no execution follows it)");
    assert_eq!(verdict(&[&waypoint("target", "avoid", "", 8, 5)]), "ERROR(witness)");
}

/// Conditions with several parts, ways of a `switch`, conditional expressions and calls, each in the right and in the wrong way:
/// only the recorded execution is confirmed, and that there is no other one is proved.
#[test]
fn branches_are_told_by_their_outcome() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint twice(int n) {\n    return 2 * n;\n}\n\
        int main(void) {\n    int a = __VERIFIER_nondet_int();\n    int b = __VERIFIER_nondet_int();\n    \
        if (a < 0 || b < 0 || !(a < 9 && b < 9))\n        return 0;\n    int c = a > b ? 1 : 0;\n    int d = twice(b);\n    \
        switch (a) {\n    case 3:\n        break;\n    case 4:\n        if (c && d == 4)\n            reach_error();\n        break;\n    \
        default:\n        return 0;\n    }\n}\n";
    let program = testing::file("ways.c", text);
    let (path, whole) = written(&program);
    point_at_what_they_say(&whole, &program);
    for part in ["value: 4", "value: \"true\"", "value: \"false\"", "\\\\result == 4"] {
        assert!(whole.contains(part), "{part}\n{whole}");
    }
    assert_eq!(validated(&path, &program).verdict(), "CONFIRMED");
    let (head, _) = whole.split_once("  content:\n").expect("it has a content");
    let verdict = |waypoints: &[(&str, &str, usize, usize)]| {
        let mut text = format!("{head}  content:\n");
        for (kind, value, line, column) in waypoints.iter().chain(&[("target", "", 18, 13)]) {
            let constraint = match *value {
                "" => String::new(),
                value => format!("            constraint:\n              value: {value}\n"),
            };
            text += &format!(
                "    - segment:\n        - waypoint:\n            type: {kind}\n            action: follow\n{constraint}            \
                 location:\n              file_name: {program}\n              line: {line}\n              column: {column}\n"
            );
        }
        let path = testing::file("told.yml", &text);
        validated(&path, &program).verdict().to_owned()
    };
    let (yes, no) = ("CONFIRMED", "REFUTED(no execution follows it)");
    let condition = |value| verdict(&[("branching", value, 9, 5)]);
    assert_eq!((condition("\"false\"").as_str(), condition("\"true\"").as_str()), (yes, no));
    let choice = |value| verdict(&[("branching", value, 11, 19)]);
    assert_eq!((choice("\"true\"").as_str(), choice("\"false\"").as_str()), (yes, no));
    let way = |value| verdict(&[("branching", value, 13, 5)]);
    assert_eq!((way("4").as_str(), way("3").as_str(), way("default").as_str()), (yes, no, no));
    let result = |value| verdict(&[("function_return", value, 12, 20)]);
    assert_eq!((result("\"\\\\result == 4\"").as_str(), result("\"\\\\result == 3\"").as_str()), (yes, no));
    let input = |n: usize| verdict(&[("function_return", &format!("\"\\\\result == {n}\""), 7, 35)]);
    assert_eq!((input(4).as_str(), input(5).as_str()), (yes, no));
    let call = |line| verdict(&[("branching", "\"true\"", 11, 19), ("function_enter", "", line, 20)]);
    assert_eq!(call(12), yes);
    let late = verdict(&[("branching", "4", 13, 5), ("function_enter", "", 12, 20)]);
    assert_eq!(late, no, "the call comes before the switch");
}
