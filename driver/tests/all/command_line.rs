//! What `slam` promises to scripts: exit codes, the verdict line, files written, limits.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testing::file;

const SAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
    int main(void) {\n    int x = __VERIFIER_nondet_int();\n    int y = x;\n    if (x != y)\n        \
    reach_error();\n    return 0;\n}\n";

const UNSAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
    int main(void) {\n    int x = __VERIFIER_nondet_int();\n    if (x == 1234567)\n        reach_error();\n    \
    return 0;\n}\n";

/// Keeps asking for one more unrolling: it is safe by an invariant that no refiner here finds.
const HARD: &str = "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
    int main(void) {\n    unsigned x = 1, y = 1, n = __VERIFIER_nondet_uint();\n    \
    for (unsigned i = 0; i < n; i++) {\n        x = x * 3 + y;\n        y = y * 5 + x;\n    }\n    \
    if (x * x + y == 7777777)\n        reach_error();\n    return 0;\n}\n";

/// Constants take the place of `n` and `limit`, and then nothing reads them any more.
const CONSTANTS: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint limit = 9;\n\
    int main(void) {\n    int n = 7, i = __VERIFIER_nondet_int();\n    if (i < 0)\n        return 0;\n    \
    while (i < n)\n        i++;\n    if (i < n && n < limit)\n        reach_error();\n    return 0;\n}\n";

fn slam(args: &[&str]) -> (String, String, i32) {
    slam::run(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
}

#[test]
fn usage() {
    for bad in [
        &["check"][..],
        &[],
        &["frobnicate"],
        &["check", "--no-such", "x.c"],
        &["check", "--check", "x", "a.c"],
    ] {
        let (out, err, code) = slam(bad);
        assert_eq!((out.as_str(), code, err.is_empty()), ("", 1, false), "{bad:?}");
    }
    let (out, err, code) = slam(&["check", "--help"]);
    assert_eq!((err.as_str(), code, out.contains("Examples:")), ("", 0, true));
    // What most users need fits on a screen; --help has everything.
    let (short, ..) = slam(&["check", "-h"]);
    assert!(short.lines().count() <= 60, "{short}");
    assert!(
        !short.contains("refiner=auto") && out.contains("refiner=auto") && !out.contains("--refiner"),
        "{out}"
    );
    for text in [&short, &out] {
        let heading =
            |line: &&str| line.ends_with(':') && !line.starts_with(' ') && !line.starts_with("Usage");
        let headings: Vec<&str> = text.lines().filter(heading).collect();
        let groups = [
            "Arguments:",
            "Options:",
            "What is checked:",
            "Where to begin:",
            "Reading C:",
            "Meaning of C:",
            "How it is decided:",
            "Limits:",
            "Output:",
            "Examples:",
        ];
        assert_eq!(headings, groups);
    }
    let (out, _, code) = slam(&["--version"]);
    assert_eq!((out.lines().count(), code, out.starts_with("slam ")), (1, 0, true));
    let (out, ..) = slam(&["--version", "--verbose"]);
    assert!(out.contains("Z3 4."), "{out}");
}

#[test]
fn verdicts_and_exit_codes() {
    let safe = file("cl_safe.c", SAFE);
    let (out, err, code) = slam(&["check", &safe]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}{err}");
    assert!(out.starts_with("SAFE: ") && out.ends_with("\nVERDICT: SAFE\n"), "{out}");

    let error = file("cl_unsafe.c", UNSAFE);
    let (out, err, code) = slam(&["check", &error]);
    assert_eq!(code, 10, "{out}{err}");
    assert!(out.ends_with(&format!("\nVERDICT: UNSAFE(reach) at {error}:6\n")), "{out}");
    assert!(out.contains("__VERIFIER_nondet_int() at") && out.contains(": 1234567"), "{out}");

    let (out, _, code) =
        slam(&["check", "--tune", "without=executions,blocks=basic,max-iterations=1", &safe]);
    assert_eq!((code, out.lines().last()), (5, Some("VERDICT: UNKNOWN(iterations)")), "{out}");

    let (out, err, code) = slam(&["check", "no/such/file.c"]);
    assert_eq!((out.as_str(), code), ("VERDICT: ERROR(read)\n", 2), "{err}");
}

#[test]
fn quiet_and_stats() {
    let safe = file("cl_quiet.c", SAFE);
    assert_eq!(slam(&["check", "-q", &safe]).0, "VERDICT: SAFE\n");
    let (out, ..) = slam(&["check", "-q", "--stats", &safe]);
    let lines: Vec<&str> = out.lines().collect();
    let (last, stats) = lines.split_last().expect("there is a verdict line");
    assert_eq!(*last, "VERDICT: SAFE");
    assert!(stats.len() > 3 && stats.iter().all(|l| l.starts_with("STAT ")), "{out}");
}

#[test]
fn the_log_goes_to_standard_error() {
    let safe = file("cl_log.c", SAFE);
    let plain = slam(&["check", &safe]);
    for flag in ["-v", "-vv"] {
        let (out, err, code) = slam(&["check", flag, &safe]);
        assert_eq!((&out, code), (&plain.0, 0));
        assert!(err.contains("\niteration 1 ") && err.contains("  bebop "), "{err}");
    }
}

#[test]
fn saved_files_and_json() {
    let safe = file("cl_save.c", SAFE);
    let scratch = testing::folder();
    let (dir, preds, json) = (scratch.join("save"), scratch.join("p.preds"), scratch.join("r.json"));
    let text = |p: &Path| p.to_str().expect("scratch paths are UTF-8").to_owned();
    let (out, err, code) = slam(&[
        "check",
        "--tune",
        "blocks=basic",
        "--save",
        &text(&dir),
        "--json",
        &text(&json),
        "--dump-predicates",
        &text(&preds),
        &safe,
    ]);
    assert_eq!(code, 0, "{out}{err}");
    let read = |p: PathBuf| std::fs::read_to_string(&p).unwrap_or_else(|e| panic!("{}: {e}", p.display()));
    for name in ["predicates.preds", "abstraction.bp", "trace.txt", "refinement.txt"] {
        read(dir.join("iter-1").join(name));
    }
    assert!(read(dir.join("iter-2/abstraction.bp")).contains("{"), "a predicate is tracked");
    let iterations = read(dir.join("cegar.csv")).lines().count() - 1;
    assert_eq!(read(dir.join("cegar.jsonl")).lines().count(), iterations);
    assert!(read(json).contains("\"verdict\": \"SAFE\""));

    let (out, err, code) =
        slam(&["check", "--predicates", &text(&preds), "--tune", "max-iterations=1", &safe]);
    assert_eq!(code, 0, "what the loop found is enough to begin with: {out}{err}");
}

#[test]
fn constants_are_propagated_unless_predicates_name_them() {
    let safe = file("cl_constants.c", CONSTANTS);
    let log = |args: &[&str]| {
        let (out, err, code) =
            slam(&[&["check", "-v", "--tune", "without=executions"], args, &[&safe]].concat());
        assert_eq!(code, 0, "{out}{err}");
        err.lines().find(|l| l.contains("propagated: ")).map_or_else(String::new, str::to_owned)
    };
    let lines = [
        &[][..],
        &["--tune", "propagate=off"],
        &["--tune", "slice=off"],
        &["--tune", "slice=off,propagate=off"],
    ]
    .map(log);
    expect_test::expect![[r#"
        sliced away: 0 procedures, 1 global, 4 statements; propagated: 8 constants, 0 copies
        sliced away: 0 procedures, 0 globals, 2 statements; propagated: 0 constants, 0 copies
        sliced away: 0 procedures, 0 globals, 0 statements; propagated: 8 constants, 0 copies
    "#]]
    .assert_eq(&lines.join("\n"));

    // What a user says of `n` is found as it is meant.
    let preds = file("cl_constants.preds", "main { i < n; }\n");
    let line = log(&["--predicates", &preds, "--tune", "max-iterations=1"]);
    expect_test::expect![
        "sliced away: 0 procedures, 1 global, 3 statements; propagated: 2 constants, 0 copies"
    ]
    .assert_eq(&line);
}

#[test]
fn limits() {
    let hard = file("cl_hard.c", HARD);
    let (out, _, code) = slam(&["check", "--time-limit", "0s", &hard]);
    assert_eq!((code, out.lines().last()), (5, Some("VERDICT: UNKNOWN(time)")), "{out}");
    let (out, _, code) = slam(&["check", "--memory-limit", "1MB", &hard]);
    assert!(matches!(out.lines().last(), Some("VERDICT: UNKNOWN(memory)")) && code == 5, "{out}");
}

/// Also one that comes while the prover is at work, which has a handler of its own.
#[test]
fn a_signal_ends_with_a_verdict() {
    let prime = "extern unsigned long __VERIFIER_nondet_ulong(void); extern void reach_error(void);\n\
                 int main(void) { unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();\n\
                 if (a > 1 && b > 1 && a < 1099511627776 && b < 1099511627776 && a * b == 9223372036854775783ul) reach_error();\n\
                 return 0; }\n";
    for (signal, hard) in [("-TERM", HARD), ("-INT", prime)] {
        let hard = file("cl_signal.c", hard);
        let child = Command::new(env!("CARGO_BIN_EXE_slam"))
            .args(["check", "--time-limit", "60s", "--tune", "without=executions", &hard])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        // Early enough that the work is not over, late enough that the handler is there.
        std::thread::sleep(std::time::Duration::from_millis(700));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(out.lines().last(), Some("VERDICT: UNKNOWN(interrupted)"), "{signal}: {out}");
        assert_eq!(output.status.code(), Some(5));
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let safe = file("cl_pipe.c", SAFE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_slam"))
        .args(["check", &safe])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn other_commands() {
    let program = file("cl_show.c", UNSAFE);
    let (out, err, code) = slam(&["cmm", &program]);
    assert!(code == 0 && out.contains("proc int main"), "{out}{err}");
    let (out, _, code) = slam(&["cfg", "--dot", &program]);
    assert!(code == 0 && out.starts_with("digraph cfg {") && out.trim_end().ends_with('}'), "{out}");
    assert_eq!(slam(&["cfg", &program]).2, 0);
    assert_eq!(slam(&["points-to", &program]).2, 0);
    assert_eq!(slam(&["run", &program]), (String::new(), String::new(), 0));
    assert_eq!(slam(&["cmm", "no/such/file.c"]).2, 2);
}

/// Results name the function whose argument an input is.
#[test]
fn arguments_are_inputs_of_the_entry_function() {
    let text = "void assert(int);\nint main(int argc) {\n  assert(argc < 7);\n  return 0;\n}\n";
    let (program, json) = (file("argument.c", text), file("argument.json", ""));
    let (out, _, code) = slam(&["check", "--json", &json, &program]);
    assert!(code == 10 && out.contains("inputs   argc: "), "{out}");
    let read = || std::fs::read_to_string(&json).expect("the result was written");
    assert!(read().contains("\"input\": \"argc\""), "{}", read());
    slam(&["run", "--json", &json, &program]);
    assert!(read().contains("\"what\": \"argument 1 of main\""), "{}", read());
}
