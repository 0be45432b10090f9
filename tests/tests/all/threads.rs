//! Programs with threads: the examples get the verdicts that their first lines declare, traces say whose turns they are, and what is
//! not supported is told with its place.

use expect_test::expect;
use std::fs;
use testing::file;
use tests::{declared_verdict, example_names_in, root, slam};

const FOLDER: &str = "examples/threads";

#[test]
fn examples_get_their_verdicts() {
    for name in example_names_in(FOLDER) {
        let path = format!("{FOLDER}/{name}.c");
        let run = slam(&["check", &path, "--time-limit", "60s"]);
        let shown = format!("{name}:\n{}\n{}", run.stdout, run.stderr);
        assert_eq!(run.verdict_lines(), 1, "{shown}");
        match declared_verdict(&root().join(&path)).as_str() {
            "SAFE" => assert_eq!((run.verdict(), run.code), ("SAFE", 0), "{shown}"),
            _ => {
                assert!(run.verdict().starts_with("UNSAFE(reach)"), "{shown}");
                assert!(run.stdout.contains("replayed"), "{shown}");
                assert!(run.stdout.contains("[2] ") && run.stdout.contains("[1] "), "{shown}");
            }
        }
        assert!(run.stderr.contains("sequential consistency"), "{shown}");
    }
}

/// The verdict on a text.
fn verdict(name: &str, text: &str) -> String {
    let path = file(name, text);
    let run = slam(&["check", &path, "--time-limit", "20s"]);
    assert_eq!(run.verdict_lines(), 1, "{}\n{}", run.stdout, run.stderr);
    run.verdict().split(" at ").next().unwrap_or_default().to_owned()
}

/// A program in which two threads execute `body`, and `main` then checks `condition`.
fn two(declarations: &str, body: &str, condition: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n{declarations}\nstatic void *run(void *a) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, run, 0); pthread_create(&u, 0, run, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); assert({condition}); return 0; }}\n"
    )
}

#[test]
fn accesses_are_single_turns() {
    assert_eq!(verdict("threads_plain.c", &two("int x;", "x++;", "x == 2")), "UNSAFE(reach)");
    assert_eq!(verdict("threads_atomic.c", &two("_Atomic int x;", "x++;", "x == 2")), "SAFE");
    // Each of the reads of one sum sees what is there then.
    let twice = "static int x, seen = 0;";
    let body = "int sum = x + x; if (sum == 1) seen = 1; x = 1;";
    assert_eq!(verdict("threads_twice.c", &two(twice, body, "!seen")), "UNSAFE(reach)");
    // What an increment gives is what it read.
    let tickets = "static int next, same; static int taken[3];";
    let body =
        "__VERIFIER_atomic_begin(); int t = next++; __VERIFIER_atomic_end(); if (taken[t]++) same = 1;";
    let declared =
        format!("void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n{tickets}");
    assert_eq!(verdict("threads_tickets.c", &two(&declared, body, "!same")), "SAFE");
}

#[test]
fn what_a_thread_awaits_it_sees() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int made[2];\n\
        static void *run(void *a) { *(int *)a = 7; return a; }\n\
        int main(void) { pthread_t t, u; void *r;\n\
        pthread_create(&t, 0, run, &made[0]); pthread_create(&u, 0, run, &made[1]);\n\
        pthread_join(u, &r); assert(made[1] == 7 && r == &made[1]); WHAT return 0; }\n";
    assert_eq!(verdict("threads_joined.c", &text.replace("WHAT", "")), "SAFE");
    assert_eq!(verdict("threads_other.c", &text.replace("WHAT", "assert(made[0] == 7);")), "UNSAFE(reach)");
}

#[test]
fn what_is_not_supported_is_told() {
    let text = two("static __thread int x;", "x++;", "x == 0");
    let path = file("threads_own.c", &text);
    let run = slam(&["check", &path]);
    assert_eq!(run.code, 2, "{}\n{}", run.stdout, run.stderr);
    expect!["objects of which each thread has its own are not supported in programs with threads"]
        .assert_eq(run.stderr.lines().find_map(|l| l.split("error: ").nth(1)).unwrap_or_default());
    let many = "#include <assert.h>\n#include <pthread.h>\nstatic int x;\nstatic void *run(void *a) { x = 1; return 0; }\n\
        int main(void) { pthread_t t; for (int i = 0; i < 20; i++) pthread_create(&t, 0, run, 0); assert(x >= 0); }\n";
    assert_eq!(verdict("threads_many.c", many), "UNKNOWN(not modelled)");
}

#[test]
fn a_run_takes_turns_as_well() {
    let path = format!("{FOLDER}/counter.c");
    assert!(fs::exists(root().join(&path)).unwrap_or(false));
    let run = slam(&["run", &path]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}
