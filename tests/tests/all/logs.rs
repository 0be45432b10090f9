//! The reports of a run about itself: the log of iterations, the files of `--save`, statistics at limits, predicates
//! that are kept for another run, and the explanation of an answer that is not known.

use expect_test::expect;
use std::fs;
use std::path::{Path, PathBuf};
use tests::{Run, root, slam, without_times};

/// A path for a file or folder of this test.
fn scratch(name: &str) -> String {
    testing::text(&testing::folder().join(name)).to_owned()
}

/// The value of a `STAT` line.
fn stat(run: &Run, name: &str) -> Option<u64> {
    let line =
        run.stdout.lines().find_map(|l| l.strip_prefix("STAT ")?.strip_prefix(name)?.strip_prefix(": "));
    line.and_then(|value| value.parse().ok())
}

#[test]
fn each_iteration_has_its_block() {
    let run = slam(&["check", "-v", "--tune", "without=executions", "examples/spinlock_safe.c"]);
    let log = without_times(&run.stderr.replace("examples/", ""));
    let first = log.split("\niteration ").nth(1).unwrap_or_default();
    expect![[r#"
        1   0 predicates
          c2bp     27 edges: 8 abstracted, 19 kept _ ms  3 prover calls
                   14 questions: 6 folded, 2 cached, 4 by syntax, 2 by the prover; 6 cubes
          bebop    error reachable in 8 steps (43 vertices) _ ms
          newton   refuted: 2 of 7 steps matter (weakest preconditions), and 1 path to other checks, 1 path around it _ ms
                   + {locked == 0}                global       wp: `if (locked != 0)` spinlock_safe.c:9
                   + {locked == 1}                global       wp: `if (locked != 1)` spinlock_safe.c:15
    "#]]
    .assert_eq(first);
    let blocks = log.matches("\niteration ").count();
    let last = log.rsplit("\niteration ").next().unwrap_or_default();
    assert!(last.starts_with(&blocks.to_string()) && last.contains("error unreachable"), "{log}");
}

/// Each predicate that is learned is reported with its scope, its refiner, and a step whose text is at the place named.
#[test]
fn predicates_are_told_with_the_step_that_they_are_for() {
    for name in ["spinlock_safe", "call_pointer_argument", "do_while_retry", "driver_safe"] {
        let run = slam(&["check", "-v", "--tune", "without=executions", &format!("examples/{name}.c")]);
        let mut told = 0;
        for line in run.stderr.lines().filter(|l| l.trim_start().starts_with("+ {")) {
            let (_, why) = line.rsplit_once("}  ").unwrap_or_else(|| panic!("{line}"));
            let mut words = why.split_whitespace();
            let (scope, refiner) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let source = fs::read_to_string(root().join(format!("examples/{name}.c"))).expect("an example");
            assert!(scope == "global" || source.contains(&format!("{scope}(")), "{line}");
            assert!(
                ["wp:", "sp:", "wp-all:", "tree:", "loops:", "states:", "callees:"].contains(&refiner),
                "{line}"
            );
            let (step, place) = line.rsplit_once("` ").unwrap_or_else(|| panic!("{line}"));
            let step = step.rsplit('`').next().unwrap_or_default();
            let number: usize = place.rsplit(':').next().and_then(|n| n.parse().ok()).expect("a line");
            let text = source.lines().nth(number - 1).unwrap_or_default();
            let shown = step.trim_end_matches("...");
            let condition = shown.split_once(" (").map_or(shown, |(_, c)| c.trim_end_matches(')'));
            assert!(text.contains(shown) || text.contains(condition), "{line}\n{text}");
            told += 1;
        }
        assert!(told > 0, "{name}: {}", run.stderr);
    }
}

#[test]
fn paths_and_changes_of_the_abstraction_are_told_on_request() {
    let run = slam(&["check", "-vv", "--tune", "without=executions", "examples/spinlock_safe.c"]);
    let second = run.stderr.split("\niteration ").nth(2).unwrap_or_default();
    let changes: Vec<&str> = second.lines().filter(|l| l.trim_start().starts_with(['+', '-'])).collect();
    assert!(changes.iter().any(|l| l.contains("assume") || l.contains(":=")), "{second}");
    assert!(second.lines().any(|l| l.starts_with(" *")), "steps of the core are marked:\n{second}");
    let brief = slam(&["check", "-v", "--tune", "without=executions", "examples/spinlock_safe.c"]);
    assert!(!brief.stderr.contains("\n *") && !brief.stderr.contains(":="), "{}", brief.stderr);
}

/// The log and the table count the same edges: those of the head line, and copies where paths meet in blocks.
#[test]
fn figures_agree() {
    for name in ["spinlock_safe", "slide14", "driver_safe"] {
        let folder = scratch(&format!("figures-{name}"));
        let file = format!("examples/{name}.c");
        let run = slam(&["check", "-v", "--tune", "without=executions,induction", "--save", &folder, &file]);
        let head = run.stderr.lines().next().unwrap_or_default();
        let edges: Option<usize> =
            head.split(" C-- edges").next().and_then(|h| h.rsplit(' ').next()?.parse().ok());
        let edges = edges.unwrap_or_else(|| panic!("{head}"));
        let csv = fs::read_to_string(Path::new(&folder).join("cegar.csv")).expect("a table");
        let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|row| row.split(',').collect()).collect();
        let lines: Vec<&str> = run.stderr.lines().filter(|l| l.starts_with("  c2bp ")).collect();
        assert_eq!(lines.len(), rows.len(), "{}", run.stderr);
        for (line, row) in lines.iter().zip(&rows) {
            let sum: usize = row[2..4].iter().filter_map(|n| n.parse::<usize>().ok()).sum();
            let told = format!("{sum} edges: {} abstracted, {} kept", row[2], row[3]);
            assert!(line.contains(&told), "{line}\n{row:?}");
            assert!(edges <= sum, "{row:?}");
        }
    }
}

/// With `-vv` an iteration begins with its head; what has changed stands below c2bp, the path below bebop.
#[test]
fn the_long_log_is_in_order() {
    let run = slam(&["check", "-vv", "--tune", "without=executions", "examples/spinlock_safe.c"]);
    let head = run.stderr.split("\niteration ").next().unwrap_or_default();
    assert!(!head.contains(":=") && !head.contains("\n *"), "{head}");
    let second = run.stderr.split("\niteration ").nth(2).unwrap_or_default();
    let place = |what: &str| second.find(what).unwrap_or_else(|| panic!("{what}\n{second}"));
    let order = [place("\n  c2bp "), place(":="), place("\n  bebop "), place("\n *"), place("\n  newton ")];
    assert!(order.is_sorted(), "{order:?}\n{second}");
}

/// A run that concrete executions decide has nothing to save, and says so.
#[test]
fn nothing_is_saved_where_executions_decide() {
    let folder = scratch("nothing-saved");
    let run = slam(&["check", "--save", &folder, "examples/spinlock_unsafe.c"]);
    assert_eq!(run.code, 10, "{}", run.stdout);
    assert!(
        run.stderr.contains("note: --save: no iteration to save: concrete executions decided"),
        "{}",
        run.stderr
    );
    let csv = fs::read_to_string(Path::new(&folder).join("cegar.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 1, "{csv}");
    let run = slam(&["check", "--save", &folder, "examples/slide14.c"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn saved_files_tell_each_iteration() {
    let folder = scratch("saved-iterations");
    let run = slam(&[
        "check",
        "--tune",
        "without=executions",
        "--stats",
        "--save",
        &folder,
        "examples/spinlock_unsafe.c",
    ]);
    let iterations = stat(&run, "iterations").expect("a number of iterations") as usize;
    let read = |name: &str| {
        let path = PathBuf::from(&folder).join(name);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    for n in 1..=iterations {
        for file in ["predicates.preds", "abstraction.bp", "trace.txt", "refinement.txt"] {
            let text = read(&format!("iter-{n}/{file}"));
            assert!(!text.is_empty() || (file, n) == ("predicates.preds", 1), "iter-{n}/{file}");
        }
    }
    assert!(!Path::new(&folder).join(format!("iter-{}", iterations + 1)).exists());
    let csv = read("cegar.csv");
    let columns: Vec<usize> = csv.lines().map(|l| l.split(',').count()).collect();
    assert_eq!(columns, vec![columns[0]; iterations + 1], "{csv}");
    let jsonl = read("cegar.jsonl");
    let lines: Vec<serde_json::Value> =
        jsonl.lines().map(|l| serde_json::from_str(l).expect("a line is a JSON object")).collect();
    assert_eq!(lines.len(), iterations);
    for (n, line) in (1..).zip(&lines) {
        assert_eq!(line["iteration"], n);
        let place = line["check"].as_str().unwrap_or_default();
        assert!(place.starts_with("examples/spinlock_unsafe.c:"), "{line}");
    }
    let last = &lines[iterations - 1]["newton"]["answer"];
    assert!(last.as_str().is_some_and(|a| a.starts_with("feasible")), "{last}");
}

#[test]
fn predicates_of_one_run_save_iterations_in_the_next() {
    for name in
        ["spinlock_safe", "spinlock_unsafe", "call_value_result", "recursion_relation", "state_machine_12"]
    {
        let (file, preds) = (format!("examples/{name}.c"), scratch(&format!("{name}.preds")));
        // The abstraction alone: induction would end both runs at the same iteration.
        let common =
            ["check", &file, "--tune", "without=executions,induction", "--stats", "--time-limit", "60s"];
        let first = slam(&[&common[..], &["--dump-predicates", &preds]].concat());
        let second = slam(&[&common[..], &["--predicates", &preds]].concat());
        let shown = format!("{name}\n{}\n{}", first.stdout, second.stdout);
        assert_eq!(first.verdict(), second.verdict(), "{shown}");
        let [before, after] =
            [&first, &second].map(|run| stat(run, "iterations").unwrap_or_else(|| panic!("{shown}")));
        assert!(after < before || before == 1, "{shown}");
        // What is known is read back as it was written.
        let again = scratch(&format!("{name}-again.preds"));
        slam(&[&common[..], &["--predicates", &preds, "--dump-predicates", &again]].concat());
        let text = fs::read_to_string(&preds).expect("the predicates were written");
        if after == 1 {
            assert_eq!(fs::read_to_string(&again).expect("they were written again"), text, "{name}");
        }
    }
}

#[test]
fn limits_leave_verdict_and_statistics() {
    let file = "examples/checks/many/waiting.c";
    let common = ["check", file, "--stats", "--tune", "refiner=wp,without=induction"];
    let run = slam(&[&common[..], &["--tune", "max-iterations=2"]].concat());
    assert_eq!((run.verdict(), run.code, run.verdict_lines()), ("UNKNOWN(iterations)", 5, 1));
    assert_eq!(stat(&run, "iterations"), Some(2), "{}", run.stdout);
    let run = slam(&[&common[..], &["--time-limit", "1s", "--tune", "without=bounds"]].concat());
    assert_eq!((run.verdict(), run.code, run.verdict_lines()), ("UNKNOWN(time)", 5, 1));
    assert!(run.stdout.contains("\nSTAT "), "{}", run.stdout);
    let run = slam(&[&common[..], &["--memory-limit", "1MB"]].concat());
    assert_eq!((run.verdict(), run.code, run.verdict_lines()), ("UNKNOWN(memory)", 5, 1));
}

/// An error that was found counts, even if a limit is reached before the other checks are decided.
#[test]
fn an_error_is_not_lost_when_a_limit_is_reached() {
    let file = "examples/checks/many/every_verdict.c";
    let run = slam(&["check", file, "--keep-going", "--tune", "max-iterations=1"]);
    assert_eq!((run.verdict(), run.code), ("UNSAFE(reach) at examples/checks/many/every_verdict.c:19", 10));
    assert!(run.stdout.contains("UNKNOWN(iterations)"), "{}", run.stdout);
}

/// A path that looks like an execution is shown, and said to be none that is confirmed.
#[test]
fn what_is_suspected_is_shown() {
    let text = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
union word { unsigned whole; unsigned char bytes[4]; };
int main(void) {
    union word w;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) return 0;
    w.whole = n;
    assert(w.bytes[3] == 0);
    return 0;
}
";
    let file = testing::file("suspected.c", text);
    let run = slam(&["check", "--tune", "bytes=off,without=unrolling", &file]);
    let shown = run.stdout.split("  tried:").next().unwrap_or_default().replace(&file, "suspected.c");
    expect![[r#"
        UNKNOWN: suspected.c:9: there may be an error here, but the interpreter does not confirm it: the run with the model's inputs ends without an error (over-approximated on the way: memory accessed at several types).
          suspected, but not confirmed, is this path:
             6  int n = __VERIFIER_nondet_int()
             7  if (n < 0)                               false
             7  n > 100                                  false
             8  w.whole = n
             9  assert(w.bytes[3] == 0)                  false, <-- the execution goes on differently, <-- suspected
    "#]].assert_eq(&shown);
}

/// Where such a path is long, the step at which the execution leaves it is shown all the same.
#[test]
fn where_an_execution_leaves_a_long_path_is_shown() {
    let lines = |what: &str| (0..60).map(|n| format!("    {what} += {};\n", n + 1)).collect::<String>();
    let text = format!(
        "extern void assert(int); extern int __VERIFIER_nondet_int(void);
union word {{ int whole; char bytes[4]; }};
int main(void) {{
    union word w;
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    w.whole = 5;
{}    if (w.bytes[3] != 0)
        x = 7;
    else
        return 0;
{}    assert(x != 7 + y);
    return 0;
}}
",
        lines("x"),
        lines("y")
    );
    let file = testing::file("long.c", text);
    let run = slam(&["check", "--tune", "bytes=off,without=unrolling", &file]);
    let shown = run.stdout.split("is this path:\n").nth(1).unwrap_or_default();
    let shown = shown.lines().skip_while(|line| !line.contains("left out")).take(3);
    let shown: Vec<&str> = shown.map(str::trim).collect();
    expect![[r#"
        ... 51 steps left out ...
        67  if (w.bytes[3] != 0)                     true, <-- the execution goes on differently
        ... 50 steps left out ..."#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn what_is_not_known_is_explained() {
    let common = [
        "check",
        "examples/checks/many/waiting.c",
        "--tune",
        "refiner=wp",
        "--tune",
        "without=bounds",
        "--tune",
        "without=induction",
        "--tune",
        "max-iterations=6",
    ];
    let run = slam(&common);
    let brief = run.stdout.replace("examples/checks/many/", "");
    expect![[r#"
        UNKNOWN: the iteration limit is reached.
          stuck: the loop at waiting.c:8 asks for one more iteration each time
          last refuted paths: 3, 4, 5, 6 times round the loop at waiting.c:8
          tried: 6 iterations, 14 predicates; weakest preconditions
          predicates added last: {sum <= -1} in main, {sum + step <= -1} in main, {sum + 2 * step <= -2} in main, {sum + 3 * step <= -4} in main, {sum + 4 * step <= -7} in main, {sum + 5 * step <= -11} in main (and 8 earlier)
          next: give a predicate that holds whenever control reaches waiting.c:8, about step and sum (--predicates FILE; --dump-predicates FILE writes what was found)
                let all refiners try: --tune refiner=auto
                --explain-unknown shows the last path and what was learned from each
        VERDICT: UNKNOWN(iterations)
    "#]].assert_eq(&brief);
    let run = slam(&[&common[..], &["--explain-unknown"]].concat());
    for part in [
        "\n  the last iterations:\n    1    refuted: ",
        "\n  time: c2bp ",
        "\n  the last path (* marks steps that contradict each other):\n",
        "\n *   9  sum = sum + step\n",
        "\n *  12  assert(sum >= 0)                         false\n",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
}

/// Work that does not come back has its files all the same.
#[test]
fn results_are_written_when_the_work_is_given_up() {
    let [json, sarif, html] = ["r.json", "r.sarif", "r.html"].map(|name| testing::file(name, ""));
    let file = "examples/checks/many/waiting.c";
    let args = ["check", file, "--memory-limit", "1MB", "--json", &json, "--sarif", &sarif, "--html", &html];
    let run = tests::binary("slam", &args);
    assert_eq!((run.verdict(), run.code), ("UNKNOWN(memory)", 5));
    let read = |file: &str| fs::read_to_string(file).expect("it was written");
    let parsed = |file: &str| serde_json::from_str::<serde_json::Value>(&read(file)).expect("JSON");
    let result = parsed(&json);
    assert_eq!(result["verdict_line"], "VERDICT: UNKNOWN(memory)");
    assert_eq!((&result["exit_code"], &result["files"][0]["name"]), (&5.into(), &file.into()));
    assert_eq!(parsed(&sarif)["runs"][0]["invocations"][0]["exitCode"], 5);
    assert!(read(&html).contains("UNKNOWN(memory)"));
}
