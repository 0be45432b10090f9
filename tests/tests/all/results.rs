//! The file of `--json` against its schema, and what reports of errors must show and must not show.

use serde_json::Value;
use tests::{Run, slam};

/// Checks a program, and its result against the schema.
fn checked(options: &[&str]) -> (Run, Value) {
    let path = testing::file("result.json", "");
    let run = slam(&[&["check", "--json", &path][..], options].concat());
    let text = std::fs::read_to_string(&path).expect("the result was written");
    let result: Value = serde_json::from_str(&text).expect("the result is JSON");
    let schema = std::fs::read_to_string(tests::root().join("docs/result.schema.json")).expect("it is there");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let found = tests::mistakes(&schema, &result);
    assert!(found.is_empty(), "{options:?}\n{}", found.join("\n"));
    (run, result)
}

#[test]
fn results_follow_their_schema() {
    let broken = testing::file("broken.c", "int main(void) { return 1 }\n");
    let all: [&[&str]; 11] = [
        &["examples/spinlock_safe.c"],
        &["examples/spinlock_safe.c", "--html", &testing::file("page.html", "")],
        &["examples/threads/bluetooth_unsafe.c"],
        &["--rule", "linux/spinlock", "examples/rules/linux/spinlock_unsafe.c"],
        &["examples/spinlock_unsafe.c"],
        &["--check", "all", "examples/checks/leak_unsafe.c"],
        &["--check", "all", "examples/everyday/linked_list_bug.c", "--time-limit", "20s"],
        &["--check", "all", "examples/everyday/calculator_bug.c", "--time-limit", "20s"],
        &["--keep-going", "examples/checks/many/waiting.c", "--tune", "max-iterations=8"],
        &["examples/checks/many/waiting.c", "--tune", "max-iterations=3"],
        &[&broken],
    ];
    let verdicts: Vec<String> = all
        .iter()
        .map(|options| checked(options).1["verdict"].as_str().unwrap_or("none").to_owned())
        .collect();
    for verdict in ["SAFE", "UNSAFE", "UNKNOWN", "ERROR"] {
        assert!(verdicts.iter().any(|v| v == verdict), "{verdict} among {verdicts:?}");
    }
}

#[test]
fn a_schema_is_told_from_what_breaks_it() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "enum": [1, null] }, "b": { "type": "array", "items": { "const": 2 } } },
    });
    let count = |value: Value| tests::mistakes(&schema, &value).len();
    assert_eq!(count(serde_json::json!({ "a": null, "b": [2, 2] })), 0);
    assert_eq!(count(serde_json::json!({ "a": 3, "b": [2, 1], "c": 0 })), 3);
    assert_eq!(count(serde_json::json!([])), 1);
    assert_eq!(count(serde_json::json!({})), 1);
}

#[test]
fn reports_name_things_as_the_source_does() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nenum state { IDLE, BUSY = 4 };\nstruct node { char tag; enum state s; };\n\
        static void drop(struct node *n) {\n    free(n);\n}\nint main(int argc) {\n    \
        struct node *n = malloc(sizeof *n);\n    int unused, x;\n    if (!n || argc != 2)\n        return 0;\n    \
        n->tag = 'q';\n    n->s = BUSY;\n    if (scanf(\"%d\", &x) != 1 || x != 7)\n        return 0;\n    drop(n);\n    return n->s;\n}\n";
    let path = testing::file("names.c", text);
    let (run, result) = checked(&["--check", "free", &path]);
    assert_eq!(run.verdict(), format!("UNSAFE(free) at {path}:18"), "{}{}", run.stdout, run.stderr);
    for part in [
        "names.c:18:12: error: access to memory that is not there any more: n\n   18 |     return n->s;\n      |            ^^^^\n",
        "struct node *n = malloc(sizeof *n)       (n = object #1 (malloc, line 9))\n",
        "if (!n)                                  false (n = object #1)\n",
        "(n->tag = 'q' (113))",
        "(n->s = BUSY (4))",
        "(n = object #1, freed at line 6) <-- here\n",
        "\nobject #1: from malloc() at ",
        "argc: 2\n",
        "standard input: \"7\"\n",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    for internal in ["__", "(mathint)", "uninitialised memory", "allocated at main", "dangling"] {
        assert!(!run.stdout.contains(internal), "{internal}\n{}", run.stdout);
    }
    let trace = result["trace"].as_array().expect("a list of lines");
    assert_eq!(trace.last().map(|line| &line["error"]), Some(&Value::Bool(true)));
    assert!(trace.iter().any(|line| line["function"] == "drop" && line["line"] == 6 && line["depth"] == 2));
    assert_eq!(result["objects"][0]["number"], 1);
}

#[test]
fn a_leak_is_reported_at_its_allocation() {
    let text = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(3);\n    return p == 0;\n}\n";
    let path = testing::file("leak.c", text);
    let (run, _) = checked(&["--check", "leak", &path]);
    assert_eq!(run.verdict(), format!("UNSAFE(leak) at {path}:3"), "{}", run.stdout);
    assert!(run.stdout.contains("the end of the program"), "{}", run.stdout);
    assert!(run.stdout.contains("object #1: from malloc() at "), "{}", run.stdout);
}

#[test]
fn turns_in_the_middle_of_a_loop_are_left_out_of_the_text_alone() {
    let text = "#include <assert.h>\nint main(void) {\n    int n = 0;\n    while (n < 50)\n        n++;\n    assert(n < 50);\n    return 0;\n}\n";
    let path = testing::file("turns.c", text);
    let (run, result) = checked(&[&path]);
    assert!(run.stdout.contains("... 45 more turns of the loop at line 4 ...\n"), "{}", run.stdout);
    let turns = result["trace"].as_array().into_iter().flatten().filter(|line| line["text"] == "n++").count();
    assert_eq!(turns, 50);
}

/// A condition in a macro has the outcome of the whole, not of one of its parts under a negation.
#[test]
fn a_negated_assertion_that_holds_is_shown_to_hold() {
    let text = "#include <assert.h>\nextern int any(void);\nint main(void) {\n    int a = any();\n    assert(!(a == 5 && a == 7));\n    assert(!(a == 100 || a == 5 || 0));\n    return 0;\n}\n";
    let path = testing::file("negated.c", text);
    let (run, result) = checked(&[&path]);
    assert_eq!(run.verdict(), format!("UNSAFE(reach) at {path}:6"), "{}", run.stdout);
    let outcome = |line: u64| {
        let all = result["trace"].as_array().into_iter().flatten().filter(|l| l["line"] == line);
        all.filter_map(|l| l["branch"].as_bool()).next_back()
    };
    assert_eq!((outcome(5), outcome(6)), (Some(true), Some(false)), "{}", run.stdout);
}

/// What the analysis chooses, such as which of many places it watches, is not an input of the program.
#[test]
fn what_the_analysis_chooses_is_no_input() {
    let all = [("uninit", "examples/heap_contents_unsafe.c"), ("file", "examples/checks/file_unsafe.c")];
    for (kind, program) in all {
        let (run, result) = checked(&["--check", kind, program]);
        assert!(run.verdict().starts_with(&format!("UNSAFE({kind})")), "{}", run.stdout);
        let inputs = result["inputs"].as_array().expect("a list");
        let of_analysis = |i: &Value| i["input"].as_str().is_some_and(|what| what.contains("watched"));
        assert!(!inputs.iter().any(of_analysis), "{inputs:?}");
        assert_eq!(inputs.is_empty(), kind == "uninit", "{inputs:?}");
        assert!(!run.stdout.contains("watched"), "{}", run.stdout);
    }
}

/// What a result assumes stands in the verdict of those who repeat it; of rules also that the text is another one than the library's.
#[test]
fn what_is_assumed_stands_in_verdicts() {
    let error = "extern void reach_error(void);\nint at;\nvoid f(int x) { if (x == 7) reach_error(); }\nint main(void) { return 0; }\n";
    let (path, json) = (testing::file("entry.c", error), testing::file("entry.json", ""));
    slam(&["check", "--entry", "f", "--json", &json, &path]);
    let replayed = slam(&["replay", &path, &json]);
    assert_eq!(
        replayed.verdict(),
        format!("UNSAFE(reach) at {path}:3 (assuming --entry f)"),
        "{}",
        replayed.stdout
    );
    assert_eq!(replayed.code, 10);

    let rule = "examples/rules/linux/mutex_safe.c";
    slam(&["check", "--rule", "linux/mutex", "--json", &json, rule]);
    let certified = || slam(&["certify", rule, &json]).verdict().to_owned();
    assert_eq!(certified(), "SAFE(assuming --rule linux/mutex)");
    let text = std::fs::read_to_string(&json).expect("a result");
    let mut result: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let own = result["options"]["rules"][0]["text"].as_str().expect("a text").to_owned();
    result["options"]["rules"][0]["text"] = format!("// Another text.\n{own}").into();
    testing::file("entry.json", result.to_string());
    assert_eq!(certified(), "SAFE(assuming --rule linux/mutex (whose text is the result's))");
}

/// A file that may not grow is an error when it is written, and leaves nothing behind.
#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_grow_are_told() {
    let folder = testing::folder().join("limited");
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = format!(
        "ulimit -f 1; exec '{}' check --html '{}' examples/spinlock_unsafe.c",
        tests::program("slam").display(),
        folder.join("page.html").display()
    );
    let run = std::process::Command::new("sh").args(["-c", &script]).current_dir(tests::root()).output();
    let run = run.expect("a shell");
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert!(
        stdout.ends_with("VERDICT: ERROR(cannot write)\n"),
        "{stdout}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(run.status.code(), Some(7));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
}

/// A batch whose folder for temporary files takes nothing says that, and not that something is wrong with the program.
#[cfg(target_os = "linux")]
#[test]
fn batches_without_temporary_files_are_told() {
    let folder = testing::folder().join("full");
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = format!(
        "ulimit -f 0; TMPDIR='{}' exec '{}' batch examples/spinlock_unsafe.c",
        folder.display(),
        tests::program("slam").display()
    );
    let run = std::process::Command::new("sh").args(["-c", &script]).current_dir(tests::root()).output();
    let run = run.expect("a shell");
    let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(stdout.contains("1 of 1 tasks: 0 SAFE, 0 UNSAFE, 0 UNKNOWN, 1 ERROR; 0.0 s CPU\n"), "{stdout}");
    assert!(stdout.ends_with("VERDICT: ERROR(cannot write)\n"), "{stdout}{stderr}");
    assert_eq!(run.status.code(), Some(7));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
}

/// What a program includes is not written over, and neither is one file written twice, whatever it is called.
#[test]
fn files_that_are_read_are_not_written_over() {
    let header = "int f(void) { return 1; }\n";
    let path = testing::file("kept.h", header);
    let program = testing::file("kept.c", "#include \"kept.h\"\nint main(void) { return f(); }\n");
    for option in ["--json", "--html", "--dump-invariants", "--sarif"] {
        let run = slam(&["check", option, &path, &program]);
        assert_eq!((run.verdict(), run.code), ("ERROR(cannot write)", 7), "{option}: {}", run.stderr);
        assert!(run.stderr.contains("this file is read"), "{option}: {}", run.stderr);
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), header, "{option}");
    }
    let folder = testing::folder().display().to_string();
    let one =
        slam(&["check", "--json", &format!("{folder}/new"), "--html", &format!("{folder}/./new"), &program]);
    assert_eq!(one.code, 1, "{}", one.stderr);
}
