//! `slam batch`: tasks from files, folders and lists, one line of JSON each, the table, and going on after a stop.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";
const SAFE: &str =
    "int main(void) { int x = __VERIFIER_nondet_int(), y = x; if (x != y) reach_error(); return 0; }\n";
const UNSAFE: &str = "int main(void) { if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }\n";
const BROKEN: &str = "int main(void) { return }\n";
const PROPERTY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// A fresh folder with two definitions, one with the wrong verdict, a program alone, and one that is not C.
fn folder() -> PathBuf {
    let folder = testing::folder();
    std::fs::create_dir_all(folder.join("tasks/more")).expect("a scratch folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("a scratch file can be written");
    };
    let definition = |file: &str, expected: bool| {
        format!(
            "format_version: '2.0'\ninput_files: '{file}'\nproperties:\n  - property_file: ../unreach.prp\n    \
             expected_verdict: {expected}\noptions:\n  language: C\n  data_model: LP64\n"
        )
    };
    write("unreach.prp", PROPERTY);
    write("tasks/safe.c", &format!("{HEAD}{SAFE}"));
    write("tasks/safe.yml", &definition("safe.c", true));
    write("tasks/unsafe.c", &format!("{HEAD}{UNSAFE}"));
    write("tasks/unsafe.yml", &definition("unsafe.c", true));
    write("tasks/more/alone.c", &format!("{HEAD}{SAFE}"));
    write("tasks/more/notes.yml", "remarks: none\n");
    write("broken.c", BROKEN);
    write("list.set", "# what is checked\ntasks/*.yml\n\nbroken.c # no C\n");
    folder
}

fn batch(folder: &Path, args: &[&str]) -> Output {
    let slam = env!("CARGO_BIN_EXE_slam");
    Command::new(slam).arg("batch").args(args).current_dir(folder).output().expect("the binary runs")
}

/// What a user needs to go on is kept of each task: results that can be replayed, harnesses of errors, what was printed.
#[test]
fn files_of_each_task_are_kept() {
    let folder = folder();
    let args = ["tasks/safe.c", "tasks/unsafe.c", "--out", "r.jsonl", "-q"];
    let keep = ["--keep", "json,harness,trace", "--into", "kept"];
    assert_eq!(batch(&folder, &args).status.code(), Some(10));
    // The results are there, but not what is to be kept: the tasks are checked again.
    assert_eq!(batch(&folder, &[&args[..], &keep].concat()).status.code(), Some(10));
    let kept = |file: &str| std::fs::read_to_string(folder.join("kept").join(file)).ok();
    let unsafe_trace = kept("tasks_unsafe.c/trace.txt").expect("it was printed");
    assert!(
        unsafe_trace.contains("returned 77") && unsafe_trace.contains("VERDICT: UNSAFE"),
        "{unsafe_trace}"
    );
    assert!(kept("tasks_unsafe.c/harness.c").is_some_and(|text| text.contains("77")));
    assert!(kept("tasks_safe.c/trace.txt").is_some_and(|text| text.contains("VERDICT: SAFE")));
    assert!(kept("tasks_safe.c/harness.c").is_none(), "there is no error");
    for task in ["tasks_safe.c", "tasks_unsafe.c"] {
        let json: Value =
            serde_json::from_str(&kept(&format!("{task}/result.json")).expect("a result")).expect("JSON");
        assert!(json["verdict"].is_string(), "{json}");
    }
    // Now they are kept, and nothing is done.
    let before =
        std::fs::metadata(folder.join("kept/tasks_safe.c/trace.txt")).expect("there").modified().ok();
    assert_eq!(batch(&folder, &[&args[..], &keep].concat()).status.code(), Some(10));
    let after = std::fs::metadata(folder.join("kept/tasks_safe.c/trace.txt")).expect("there").modified().ok();
    assert_eq!(before, after);
    assert_eq!(batch(&folder, &["tasks/safe.c", "--keep", "json"]).status.code(), Some(1));
    assert_eq!(batch(&folder, &["tasks/safe.c", "--harness", "h.c"]).status.code(), Some(1));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the binary writes UTF-8")
}

/// The lines of a file of results.
fn results(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("there are results");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}"))).collect()
}

/// The table with its measured columns taken out.
fn unmeasured(out: &str) -> String {
    let mut kept = String::new();
    for line in out.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [verdict, expected, _, _, _, task] => kept.push_str(&format!("{verdict} {expected} {task}\n")),
            [verdict, "WRONG", expected, _, _, _, task] => {
                kept.push_str(&format!("{verdict} WRONG {expected} {task}\n"));
            }
            _ => kept.push_str(&format!(
                "{}\n",
                line.rsplit_once("; ")
                    .map_or(line, |(sums, cpu)| { if cpu.ends_with(" CPU") { sums } else { line } })
            )),
        }
    }
    kept
}

#[test]
fn a_folder_and_a_list() {
    let folder = folder();
    let run = batch(&folder, &["--jobs", "2", "--out", "r.jsonl", "tasks", "list.set"]);
    expect_test::expect![[r"
        verdict              expected    CPU s  elapsed s      MB  task
        SAFE - tasks/more/alone.c
        SAFE true tasks/safe.yml
        UNSAFE(reach) WRONG true tasks/unsafe.yml
        ERROR(parse) - broken.c
        4 of 4 tasks: 2 SAFE, 1 UNSAFE, 0 UNKNOWN, 1 ERROR
        2 with an expected verdict: 1 right, 1 wrong, 0 not decided; score -14 of 4
        VERDICT: UNSAFE(reach) at tasks/unsafe.c:3
    "]]
    .assert_eq(
        &unmeasured(&text(&run.stdout)).replace("verdict               expected", "verdict  expected"),
    );
    assert_eq!(run.status.code(), Some(10));
    let told = text(&run.stderr);
    assert!(told.contains("/4] tasks/unsafe.yml: UNSAFE(reach) at ") && told.contains(" WRONG\n"), "{told}");
    let results = results(&folder.join("r.jsonl"));
    assert_eq!(results.len(), 4);
    let broken = results.iter().find(|r| r["task"] == "broken.c").expect("it has a result");
    assert!(broken["message"].as_str().is_some_and(|m| m.starts_with("broken.c:1:")), "{broken}");
    let safe = results.iter().find(|r| r["task"] == "tasks/safe.yml").expect("it has a result");
    assert!(safe["expected"] == true && safe["right"] == true && safe["wall_s"].is_f64(), "{safe}");
}

#[test]
fn results_are_kept_while_options_and_files_stay() {
    let folder = folder();
    let out = folder.join("r.jsonl");
    let kept = |args: &[&str]| {
        let run = batch(&folder, &[&["--out", "r.jsonl", "tasks"], args].concat());
        (text(&run.stderr).matches("(kept)").count(), results(&out).len())
    };
    assert_eq!(kept(&[]), (0, 3));
    assert_eq!(kept(&[]), (3, 3));
    assert_eq!(kept(&["--jobs", "1", "--stats"]), (3, 3), "what results do not depend on");
    assert_eq!(kept(&["--tune", "max-iterations=7"]), (0, 6), "another option");
    assert_eq!(kept(&[]), (3, 6));
    let changed = format!("{HEAD}{SAFE}/* changed */\n");
    std::fs::write(folder.join("tasks/safe.c"), changed).expect("a scratch file can be written");
    assert_eq!(kept(&[]), (2, 7), "another file");
    // A kill in the middle of a line.
    let whole = std::fs::read(&out).expect("there are results");
    std::fs::write(&out, &whole[..whole.len() - 5]).expect("it can be cut");
    assert_eq!(kept(&[]), (2, 7));
    assert_eq!(kept(&["--fresh"]), (0, 3));
}

#[test]
fn what_a_batch_refuses() {
    let folder = folder();
    let refused = |args: &[&str]| {
        let run = batch(&folder, args);
        (run.status.code(), text(&run.stderr), text(&run.stdout))
    };
    assert_eq!(refused(&["--json", "x", "tasks"]).0, Some(1));
    assert_eq!(refused(&["--fresh", "tasks"]).0, Some(1));
    assert_eq!(refused(&[]).0, Some(1));
    std::fs::write(folder.join("notes.txt"), "no/such.c\n").expect("a scratch file can be written");
    let (code, err, out) = refused(&["notes.txt"]);
    assert_eq!((code, out.as_str()), (Some(2), "VERDICT: ERROR(batch)\n"));
    assert_eq!(err, "error: notes.txt:1: no/such.c is no file, and no pattern of files that are there\n");
    let (code, err, _) = refused(&["--out", "unreach.prp", "tasks"]);
    assert_eq!((code, err.as_str()), (Some(2), "error: --out unreach.prp: line 1 is no result of a batch\n"));
    let untouched = std::fs::read_to_string(folder.join("unreach.prp")).expect("it is there");
    assert_eq!(untouched, PROPERTY);
}

/// `--each-function`: a line for each function; a function with nothing to check is not an error, and no other is
/// checked.
#[test]
fn each_function_has_a_line_of_a_table() {
    let folder = testing::folder();
    let program = "int quotient(int x, int y) { return y ? x / 2 : 0; }\nint inverse(int x) { return 100 / x; }\n\
                   int one(void) { return 1; }\n";
    std::fs::write(folder.join("f.c"), program).expect("a scratch file can be written");
    let run = |kinds: &str| {
        let slam = env!("CARGO_BIN_EXE_slam");
        let args = ["check", "--each-function", "--check", kinds, "--time-limit", "20s", "f.c"];
        Command::new(slam).args(args).current_dir(&folder).output().expect("the binary runs")
    };
    let found = run("div0");
    let table = text(&found.stdout);
    assert!(table.contains("UNSAFE(div0)") && table.contains("inverse (error at f.c:2)"), "{table}");
    assert!(table.contains("3 of 3 functions: 2 SAFE, 1 UNSAFE, 0 UNKNOWN, 0 ERROR"), "{table}");
    assert_eq!(
        (table.lines().last(), found.status.code()),
        (Some("VERDICT: UNSAFE(div0) at f.c:2"), Some(10))
    );
    let nothing = text(&run("reach").stdout);
    assert!(
        nothing.contains("3 with nothing to check") && nothing.ends_with("VERDICT: ERROR(no checks)\n"),
        "{nothing}"
    );
}
