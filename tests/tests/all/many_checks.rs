//! Several checks in one run. Each example in `examples/checks/many/` says beside every check what becomes of it; and
//! random programs over a few inputs are executed on all of them, which shows for each check whether it is reached,
//! and whether it is the first that fails.

use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use testing::{Dice, file};
use tests::{Run, example_names_in, root, slam};

/// Runs `slam check` with `--json`, and reads what that wrote.
fn check(name: &str, args: &[&str]) -> (Run, Value) {
    let json = file(&format!("{name}.json"), "");
    let run = slam(&[&["check", "--json", &json], args].concat());
    let text = fs::read_to_string(&json).expect("the result was written");
    let result = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}\n{}", run.stderr));
    (run, result)
}

/// Line, verdict and the lines that it depends on, for each check of a result.
fn verdicts(result: &Value) -> Vec<(u64, String)> {
    let line_of = |place: &Value| {
        let place = place.as_str().expect("a place is a text");
        place.rsplit(':').next().expect("a place ends with a line").to_owned()
    };
    let one = |check: &Value| {
        let mut verdict = check["verdict"].as_str().unwrap_or("-").to_owned();
        if let Some(given) = check["if_these_hold"].as_array() {
            let lines: Vec<String> = given.iter().map(line_of).collect();
            let _ = write!(verdict, " if {}", lines.join(" "));
        }
        (check["line"].as_u64().expect("a line is a number"), verdict)
    };
    result["checks"].as_array().expect("the checks are listed").iter().map(one).collect()
}

/// What the remarks `//@ SAFE` of an example say, in the order of the text.
fn remarks(text: &str) -> Vec<(u64, String)> {
    let mut out = vec![];
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let Some((_, remark)) = line.split_once("//@ ") else { continue };
        match remark.split_once(" if ") {
            Some(_) => out.push((number, remark.trim().to_owned())),
            None => out.extend(remark.split_whitespace().map(|verdict| (number, verdict.to_owned()))),
        }
    }
    out
}

#[test]
fn a_program_without_checks_has_an_empty_table() {
    let program = file("nothing.c", "int main(void) { return 0; }\n");
    let run = slam(&["check", "--check", "all", "--keep-going", &program]);
    assert_eq!(run.verdict(), "SAFE");
    let table = "no checks: no execution can fail one of the kinds that were asked for\n";
    assert!(run.stdout.contains(table), "{}", run.stdout);
}

#[test]
fn each_check_of_the_examples_has_the_verdict_beside_it() {
    let names = example_names_in("examples/checks/many");
    assert_eq!(names, ["every_verdict", "kinds", "vacuous", "waiting"]);
    for name in names {
        let path = format!("examples/checks/many/{name}.c");
        let text = fs::read_to_string(root().join(&path)).expect("an example is a text file");
        let first = text.lines().next().and_then(|l| l.strip_prefix("//@ verdict: ")).unwrap_or_default();
        let (verdict, options) = first.split_once(' ').expect("the first line gives verdict and options");
        let options: Vec<&str> = options.split(' ').collect();
        let args = [&[path.as_str(), "--keep-going", "--time-limit", "120s"], &options[..]].concat();
        let (run, result) = check(&name, &args);
        let shown = format!("{path}\n{}\n{}", run.stdout, run.stderr);
        assert_eq!(verdicts(&result), remarks(&text), "\n{shown}");
        assert_eq!(run.verdict().split('(').next(), Some(verdict), "\n{shown}");
        // The verdict is about the first in the order of the text.
        if let Some((line, _)) = remarks(&text).iter().find(|(_, v)| v == "UNSAFE") {
            assert!(run.verdict().ends_with(&format!("{path}:{line}")), "\n{shown}");
        }
    }
}

#[test]
fn the_table_and_what_it_says_of_checks_that_are_not_reached() {
    let run = slam(&["check", "--keep-going", "examples/checks/many/every_verdict.c"]);
    let table = run.stdout.split_once("\n5 checks: ").map_or("", |(_, table)| table);
    let table = table.replace("examples/checks/many/every_verdict.c", "e.c");
    expect![[r#"
        2 SAFE, 1 UNSAFE, 1 UNREACHABLE, 1 UNKNOWN:
          e.c:18  reach  assertion `larger >= b`      SAFE
          e.c:19  reach  assertion `absolute(a) > 0`  UNSAFE
          e.c:21  reach  assertion `a == b`           UNREACHABLE            `b > 100` at e.c:20 is never true
          e.c:23  reach  assertion `third > 0.0L`     UNKNOWN(not replayed)
          e.c:27  reach  assertion `i > 0`            SAFE [1]
        An execution ends at the first check that fails:
          [1] of executions that pass what is not decided at e.c:23
        VERDICT: UNSAFE(reach) at e.c:19
    "#]]
    .assert_eq(&table);
}

/// Nobody has to open a model to read the table, and a row says no more than its line of the program can.
#[test]
fn checks_of_models_stand_at_the_calls() {
    let text = "#include <string.h>\nint main(void) {\n    char a[4] = \"ab\", b[8] = \"abcdef\";\n    \
        unsigned long n = strlen(b) + strlen(\"x\");\n    strcpy(a, b);\n    return (int)n;\n}\n";
    let path = file("calls.c", text);
    let (run, result) = check("calls", &[&path, "--check", "all", "--keep-going"]);
    assert!(!run.stdout.contains("<models>"), "{}", run.stdout);
    let table = run.stdout.split_once(" checks: ").map_or("", |(_, table)| table);
    expect![[r#"
        5 SAFE, 1 UNSAFE, 1 UNREACHABLE:
          calls.c:4  bounds    strlen(): access outside of the object: s[n]   SAFE
          calls.c:4  overflow  strlen(): signed overflow in n + 1             SAFE
          calls.c:5  bounds    strcpy(): 2 checks                             SAFE
          calls.c:5  bounds    strcpy(): access outside of the object: to[i]  UNREACHABLE  a condition in strcpy() is never false
          calls.c:5  bounds    strcpy(): access outside of the object: to[i]  UNSAFE
          calls.c:5  overflow  strcpy(): signed overflow in i + 1             SAFE
        Each verdict is about that check failing first: an execution ends at the first that fails.
        VERDICT: UNSAFE(bounds) at calls.c:5
    "#]].assert_eq(&table.replace(&path, "calls.c"));
    let in_models: Vec<&Value> = result["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|check| check["place"].as_str().is_some_and(|at| at.starts_with("<models>")))
        .collect();
    assert!(!in_models.is_empty(), "{result}");
    for check in in_models {
        let called: Vec<String> = check["called_at"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|at| at.as_str().unwrap_or_default().replace(&path, "calls.c"))
            .collect();
        assert!(!called.is_empty() && called.iter().all(|at| at.starts_with("calls.c:")), "{check}");
    }
}

#[test]
fn contradicting_assumptions_are_warned_of() {
    let path = "examples/checks/many/vacuous.c";
    let run = slam(&["check", path]);
    assert_eq!((run.verdict(), run.code), ("SAFE", 0), "\n{}", run.stdout);
    assert!(
        run.stdout.starts_with("SAFE, but no execution reaches any of the 2 checks.\n"),
        "{}",
        run.stdout
    );
    let warning = format!(
        "warning: no execution reaches any check: nothing gets past `__VERIFIER_assume(speed < 30)` at {path}:17\n"
    );
    assert_eq!(run.stderr, warning);
    assert_eq!(slam(&["check", "-q", path]).stderr, "", "nothing but the verdict with -q");
}

#[test]
fn without_check_all_the_run_ends_at_the_first_error() {
    let path = "examples/multiple_assertions.c";
    let (run, result) = check("first", &[path]);
    assert_eq!(run.verdict(), format!("UNSAFE(reach) at {path}:14"));
    let listed: Vec<String> = verdicts(&result).into_iter().map(|(_, verdict)| verdict).collect();
    assert_eq!(listed, ["-", "UNSAFE", "-"]);
    let (_, result) = check("first", &[path, "--keep-going"]);
    let listed: Vec<String> = verdicts(&result).into_iter().map(|(_, verdict)| verdict).collect();
    assert_eq!(listed, ["SAFE", "UNSAFE", "SAFE"]);
}

/// Assertions about different things, one after the other, do not take an iteration each: not those behind the first that fails, and
/// not those that one function makes.
#[test]
fn the_number_of_iterations_does_not_grow_with_that_of_assertions() {
    let number = 16;
    let ways = [
        "extern void __VERIFIER_assert(int);",
        "extern void reach_error(void);\nvoid __VERIFIER_assert(int c) { if (!c) reach_error(); }",
        "extern void reach_error(void);\n#define __VERIFIER_assert(c) if (!(c)) reach_error()",
    ];
    for (way, head) in ways.iter().enumerate() {
        let mut text = format!("{head}\nextern int __VERIFIER_nondet_int(void);\nint main(void) {{\n");
        for i in 0..number {
            let _ = writeln!(text, "  int x{i} = __VERIFIER_nondet_int(), y{i} = x{i};");
            let _ = writeln!(text, "  if (x{i} < 1000) {{ x{i}++; y{i}++; }}");
        }
        (0..number).for_each(|i| _ = writeln!(text, "  __VERIFIER_assert(x{i} == y{i});"));
        text.push_str("  return 0;\n}\n");
        let alone = ["--tune", "without=executions,unrolling,induction", "--stats"];
        let run = slam(&[&["check", &file(&format!("way{way}.c"), &text)][..], &alone].concat());
        assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
        let line = run.stdout.lines().find_map(|line| line.strip_prefix("STAT iterations: "));
        let iterations: usize = line.expect("it is told").parse().expect("it is a number");
        assert!(iterations <= 5, "{iterations} iterations:\n{text}");
    }
}

#[test]
fn one_line_is_decided_by_itself() {
    let path = "examples/multiple_assertions.c";
    let (run, result) = check("only", &[path, "--only", "15", "--only", "multiple_assertions.c:12"]);
    assert_eq!(run.verdict(), "SAFE", "\n{}", run.stdout);
    assert!(run.stdout.contains("assumed to hold: 1 other check\n"), "{}", run.stdout);
    assert_eq!(verdicts(&result), [(12, "SAFE".into()), (15, "SAFE".into())]);
    let run = slam(&["check", path, "--only", "13"]);
    assert_eq!((run.verdict(), run.code), ("ERROR(no such check)", 2));
    let lines = format!("there are checks at {path}:12, {path}:14, {path}:15");
    assert!(run.stderr.contains(&lines), "{}", run.stderr);
    assert_eq!(slam(&["check", path, "--only", "soon"]).code, 2);
}

#[test]
fn what_is_not_modelled_leaves_errors_to_be_found_and_nothing_safe() {
    let text = "#include <assert.h>\n#include <setjmp.h>\nextern int __VERIFIER_nondet_int(void);\njmp_buf env;\n\
        int main(void) {\n    int a = __VERIFIER_nondet_int();\n    assert(a != 3);\n    if (a == 4)\n        \
        longjmp(env, 1);\n    assert(a < 1000 || a > 0);\n    return 0;\n}\n";
    let path = file("unmodelled_one.c", text);
    let (run, result) = check("unmodelled_one", &[&path, "--keep-going"]);
    assert_eq!(verdicts(&result), [(7, "UNSAFE".into()), (10, "UNKNOWN".into())], "\n{}", run.stdout);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
}

/// Variables of the random programs, of which each begins with an arbitrary value from 0 to 2.
const VARIABLES: usize = 3;

/// The statements of the random programs.
enum Statement {
    Assign(usize, usize, i64),
    Assume(Condition),
    Assert(usize, Condition),
    If(Condition, Vec<Statement>, Vec<Statement>),
}

/// `v < c`, `v == c` or `v != w`.
enum Condition {
    Less(usize, i64),
    Equal(usize, i64),
    Differ(usize, usize),
}

impl Condition {
    fn random(r: &mut Dice) -> Condition {
        let v = r.below(VARIABLES);
        match r.below(3) {
            0 => Condition::Less(v, r.below(4) as i64),
            1 => Condition::Equal(v, r.below(4) as i64),
            _ => Condition::Differ(v, (v + 1) % VARIABLES),
        }
    }

    fn holds(&self, values: &[i64; VARIABLES]) -> bool {
        match *self {
            Condition::Less(v, c) => values[v] < c,
            Condition::Equal(v, c) => values[v] == c,
            Condition::Differ(v, w) => values[v] != values[w],
        }
    }

    fn text(&self) -> String {
        match self {
            Condition::Less(v, c) => format!("v{v} < {c}"),
            Condition::Equal(v, c) => format!("v{v} == {c}"),
            Condition::Differ(v, w) => format!("v{v} != v{w}"),
        }
    }
}

fn block(r: &mut Dice, depth: u64, checks: &mut usize) -> Vec<Statement> {
    let statement = |r: &mut Dice, checks: &mut usize| match r.below(if depth == 0 { 7 } else { 10 }) {
        0..=2 => {
            let [v, w] = [0; 2].map(|_: i32| r.below(VARIABLES));
            Statement::Assign(v, w, r.below(3) as i64 - 1)
        }
        3 => Statement::Assume(Condition::random(r)),
        4..=6 => {
            *checks += 1;
            Statement::Assert(*checks - 1, Condition::random(r))
        }
        _ => Statement::If(Condition::random(r), block(r, depth - 1, checks), block(r, depth - 1, checks)),
    };
    (0..1 + r.below(3)).map(|_| statement(r, checks)).collect()
}

/// The program's text; the checks come in the order of their numbers.
fn print(statements: &[Statement], depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    for statement in statements {
        let _ = match statement {
            Statement::Assign(v, w, c) => writeln!(out, "{indent}v{v} = v{w} + {c};"),
            Statement::Assume(c) => writeln!(out, "{indent}__VERIFIER_assume({});", c.text()),
            Statement::Assert(_, c) => writeln!(out, "{indent}__VERIFIER_assert({});", c.text()),
            Statement::If(c, yes, no) => {
                let _ = writeln!(out, "{indent}if ({}) {{", c.text());
                print(yes, depth + 1, out);
                let _ = writeln!(out, "{indent}}} else {{");
                print(no, depth + 1, out);
                writeln!(out, "{indent}}}")
            }
        };
    }
}

/// Whether the execution goes on; takes note of the checks that are met and of the one that fails.
fn execute(statements: &[Statement], values: &mut [i64; VARIABLES], met: &mut BTreeMap<usize, bool>) -> bool {
    statements.iter().all(|statement| match statement {
        Statement::Assign(v, w, c) => {
            values[*v] = values[*w] + c;
            true
        }
        Statement::Assume(c) => c.holds(values),
        Statement::Assert(check, c) => {
            let holds = c.holds(values);
            *met.entry(*check).or_default() |= !holds;
            holds
        }
        Statement::If(c, yes, no) => execute(if c.holds(values) { yes } else { no }, values, met),
    })
}

/// `MANY_CHECKS_CASES` is the number of programs.
#[test]
fn random_programs_have_the_verdicts_that_all_their_executions_show() {
    let cases = testing::number("MANY_CHECKS_CASES", 12);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..cases {
        let mut r = Dice::new(seed);
        let mut checks = 0;
        let program: Vec<Statement> = (0..2).flat_map(|_| block(&mut r, 2, &mut checks)).collect();
        if checks == 0 {
            continue;
        }
        let mut text = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
            extern void __VERIFIER_assert(int);\nint main(void) {\n"
            .to_owned();
        for v in 0..VARIABLES {
            let _ = writeln!(text, "    int v{v} = __VERIFIER_nondet_int();");
            let _ = writeln!(text, "    __VERIFIER_assume(0 <= v{v} && v{v} <= 2);");
        }
        print(&program, 1, &mut text);
        text.push_str("    return 0;\n}\n");
        let mut met = BTreeMap::new();
        for number in 0..3i64.pow(VARIABLES as u32) {
            let mut values = [number % 3, number / 3 % 3, number / 9];
            execute(&program, &mut values, &mut met);
        }
        let verdict = |check: usize| match met.get(&check) {
            None => "UNREACHABLE",
            Some(true) => "UNSAFE",
            Some(false) => "SAFE",
        };
        let expected: Vec<&str> = (0..checks).map(verdict).collect();
        let path = file("random_checks.c", &text);
        // Without the probe, so that the loop finds the errors too.
        let without = if seed % 2 == 0 { "nothing" } else { "executions" };
        let (run, result) =
            check("random_checks", &[&path, "--keep-going", "--without", without, "--time-limit", "60s"]);
        let found: Vec<String> = verdicts(&result).into_iter().map(|(_, verdict)| verdict).collect();
        // A check is reported as never reached only where the predicates that prove it show that, too.
        let agrees = |(found, expected): (&String, &&str)| {
            found == expected || (found == "SAFE" && *expected == "UNREACHABLE")
        };
        let all_agree = found.len() == expected.len() && found.iter().zip(&expected).all(agrees);
        assert!(all_agree, "seed {seed}: {expected:?}\n{text}\n{}\n{}", run.stdout, run.stderr);
        for verdict in found {
            *counts.entry(verdict).or_default() += 1;
        }
    }
    assert_eq!(counts.len(), 3, "all three verdicts occur: {counts:?}");
}
