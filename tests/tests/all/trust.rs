//! Answers are checked again: certificates of safe programs hold, certificates that somebody changed do not, files that
//! are not results are refused, and compiled programs run into the errors that were found.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use testing::{Dice, text};
use tests::{Run, slam};

/// A path for a file of this test.
fn scratch(name: &str) -> PathBuf {
    testing::folder().join(name)
}

/// The result of a check.
fn result(program: &str, name: &str) -> (Run, Value, PathBuf) {
    result_with(program, name, &[])
}

fn result_with(program: &str, name: &str, options: &[&str]) -> (Run, Value, PathBuf) {
    let file = scratch(name);
    let alone = ["check", "--tune", "without=executions,unrolling,induction", "--json", text(&file), program];
    let run = slam(&[&alone[..], options].concat());
    let written = fs::read_to_string(&file).expect("the result was written");
    (run, serde_json::from_str(&written).expect("it is JSON"), file)
}

fn certify(program: &str, result: &Value, name: &str) -> Run {
    let file = scratch(name);
    fs::write(&file, result.to_string()).expect("the result can be written");

    slam(&["certify", program, text(&file)])
}

#[test]
fn certificates_are_read_back_and_hold() {
    for name in
        ["spinlock_safe", "recursion_relation", "linked_list_fixed", "swap_pointers", "state_machine_12"]
    {
        let program = format!("examples/{name}.c");
        let (run, json, file) = result(&program, name);
        assert_eq!(run.verdict(), "SAFE", "{name}");
        let again = slam(&["certify", &program, text(&file)]);
        assert_eq!((again.verdict(), again.code), ("SAFE", 0), "{name}: {}", again.stdout);
        let shown = again.stdout.lines().next().unwrap_or_default();
        assert!(shown.starts_with("certified: ") && shown.ends_with(" obligations"), "{name}: {shown}");
        assert!(json["certificate"]["procedures"].is_array(), "{name}");
    }
}

/// Of every location of this program some state is possible, and the checks need what the sets say.
#[test]
fn certificates_that_were_changed_are_refuted() {
    let program = "examples/spinlock_safe.c";
    let (_, json, _) = result(program, "changed");
    let (mut changed, mut refuted) = (0, 0);
    let mut attempt = |json: &Value| {
        let run = certify(program, json, "attempt");
        assert!([0, 5, 6].contains(&run.code), "{}{}", run.stdout, run.stderr);
        changed += 1;
        if run.code == 6 {
            assert!(
                run.stdout.starts_with("certificate refuted at examples/spinlock_safe.c:"),
                "{}",
                run.stdout
            );
            assert_eq!(run.verdict(), "ERROR(internal)");
            refuted += 1;
        }
        run.code
    };
    let procedures = json["certificate"]["procedures"].as_array().expect("there are some").len();
    for p in 0..procedures {
        let proc = &json["certificate"]["procedures"][p];
        let (sets, nodes) =
            (proc["sets"].as_array().expect("a list"), proc["nodes"].as_array().expect("a list"));
        for k in 0..sets.len() {
            // No state is possible there: the step that leads there says otherwise.
            let mut other = json.clone();
            other["certificate"]["procedures"][p]["sets"][k]["set"] = 0.into();
            assert_eq!(attempt(&other), 6, "procedure {p}, set {k}");
        }
        for k in 0..nodes.len() {
            // A leaf is flipped: states are lost, or states are added.
            for child in [1, 2] {
                if let Some(leaf @ (0 | 1)) = nodes[k][child].as_u64() {
                    let mut other = json.clone();
                    other["certificate"]["procedures"][p]["nodes"][k][child] = (1 - leaf).into();
                    attempt(&other);
                }
            }
        }
    }
    assert!(2 * refuted > changed, "{refuted} of {changed}");
}

/// What is passed is followed: heads of loops and calls are not, and a proof that leaves their sets out is none. Branches, joins and
/// checks may be passed.
#[test]
fn only_insides_of_blocks_are_passed() {
    let program = "examples/spinlock_safe.c";
    let (_, json, _) = result_with(program, "passed", &["--tune", "blocks=basic"]);
    let procedures = json["certificate"]["procedures"].as_array().expect("there are some");
    let blocks = procedures.iter().filter(|p| p["passed"].as_array().is_some_and(|all| !all.is_empty()));
    assert!(blocks.count() > 0, "no location is inside of a block");
    let (mut refuted, mut followed) = (0, 0);
    for (p, proc) in procedures.iter().enumerate() {
        for k in 0..proc["sets"].as_array().expect("a list").len() {
            let mut other = json.clone();
            let proc = &mut other["certificate"]["procedures"][p];
            let set = proc["sets"].as_array_mut().expect("a list").remove(k);
            proc["passed"].as_array_mut().expect("a list").push(set["location"].clone());
            let run = certify(program, &other, "followed");
            match run.code {
                0 => followed += 1,
                6 => refuted += 1,
                _ => panic!("{}{}", run.stdout, run.stderr),
            }
        }
    }
    assert!(refuted > 0 && followed > 0, "{refuted} refuted, {followed} followed");
}

#[test]
fn what_is_no_result_is_refused() {
    let program = "examples/spinlock_safe.c";
    let (_, json, _) = result(program, "refused");
    let changes: [(&str, Value); 14] = [
        ("/verdict", json!("UNKNOWN")),
        ("/options/alias", json!("perhaps")),
        ("/options", json!(null)),
        ("/certificate", json!(7)),
        ("/certificate/program", json!("0123")),
        ("/certificate/procedures/0/name", json!("nobody")),
        ("/certificate/procedures/0/literals", json!(null)),
        ("/certificate/procedures/0/nodes", json!([[0, 2, 1]])),
        ("/certificate/procedures/0/nodes", json!([[99, 0, 1]])),
        ("/certificate/procedures/0/sets", json!([{ "location": 9999, "set": 1 }])),
        ("/certificate/procedures/0/sets", json!([{ "location": 0, "set": -1 }])),
        ("/certificate/procedures/0/passed", json!([9999])),
        ("/certificate/procedures/0/passed", json!([0, 0])),
        ("/certificate/procedures/0/literals", json!([{ "condition": "old(old(lock)) == 1 +" }])),
    ];
    for (place, value) in changes {
        let mut other = json.clone();
        *other.pointer_mut(place).expect("results have that") = value;
        let run = certify(program, &other, "other");
        assert_eq!((run.verdict(), run.code), ("ERROR(result)", 2), "{place}: {}", run.stdout);
        assert!(run.stderr.starts_with("error: "), "{place}: {}", run.stderr);
    }
    let other = certify("examples/swap_pointers.c", &json, "program");
    assert_eq!(other.code, 2, "{}", other.stdout);
    assert!(other.stderr.contains("another program"), "{}", other.stderr);
}

/// A program whose meaning hangs on options, and what `slam certify` says of its result under them.
#[test]
fn certificates_say_what_they_assume() {
    let program = scratch("assuming.c");
    let text_of = "#ifndef SIZE\n#define SIZE 4\n#endif\nextern void reach_error(void); extern int nondet(void);\n\
        int main(void) {\n  int i = nondet();\n  if (i > SIZE && i < 3)\n    reach_error();\n  return 0;\n}\n\
        int start(void) {\n  int i = nondet();\n  if (i > 0)\n    i = 7 / i;\n  if (i == 900)\n    reach_error();\n  \
        return 0;\n}\n";
    fs::write(&program, text_of).expect("a program can be written");
    let name = text(&program).to_owned();
    let cases: [(&[&str], &str); 9] = [
        (&[], "SAFE"),
        (&["--tune", "alias=andersen,slice=off"], "SAFE"),
        (&["-DSIZE=5"], "SAFE(assuming -D SIZE=5)"),
        (&["-D", "SIZE=(5)"], "SAFE(assuming -D \"SIZE=(5)\")"),
        (&["--check", "null"], "SAFE(assuming --check null)"),
        (&["--entry", "start", "--only", "14"], "SAFE(assuming --entry start, --only (NAME:16 holds))"),
        (&["--entry", "start", "--check", "only:div0"], "SAFE(assuming --check only:div0, --entry start)"),
        (&["--data-model", "ILP32", "--extern", "pure"], "SAFE(assuming --data-model ILP32, --extern pure)"),
        (
            &["--signed-overflow", "wrap", "--malloc-may-fail=no"],
            "SAFE(assuming --malloc-may-fail no, --signed-overflow wrap)",
        ),
    ];
    for (options, expected) in cases {
        let result = scratch("assuming.json");
        let only = options.contains(&"--only");
        let check = if only { &["--check", "div0"][..] } else { &[] };
        let run = slam(
            &[&["check", "--tune", "without=executions", "--json", text(&result), &name][..], options, check]
                .concat(),
        );
        assert_eq!(run.verdict(), "SAFE", "{options:?}: {}{}", run.stdout, run.stderr);
        let found = scratch("found.json");
        let run = slam(&["certify", "--json", text(&found), &name, text(&result)]);
        let expected = match only {
            true => expected.replace("NAME", &name).replace("assuming ", "assuming --check div0, "),
            false => expected.to_owned(),
        };
        assert_eq!(
            (run.verdict(), run.code),
            (expected.as_str(), 0),
            "{options:?}: {}{}",
            run.stdout,
            run.stderr
        );
        let json: Value = serde_json::from_str(&fs::read_to_string(&found).expect("written")).expect("JSON");
        let texts: Vec<&str> = json["assumptions"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|a| a["text"].as_str())
            .collect();
        let in_line = expected.strip_prefix("SAFE(assuming ").and_then(|rest| rest.strip_suffix(')'));
        assert_eq!(texts.join(", "), in_line.unwrap_or_default());
        texts
            .iter()
            .for_each(|t| assert!(run.stdout.contains(&format!("\n  assumed: {t}\n")), "{}", run.stdout));
        for _file in [result, found] {}
    }
}

/// A result that was made with one kind of integers is about that kind.
#[test]
fn other_integers_are_refused() {
    for (name, options) in [("spinlock_safe", &[][..]), ("swap_pointers", &["--tune", "integers=bits"])] {
        let program = format!("examples/{name}.c");
        let file = scratch("integers.json");
        let run = slam(
            &[&["check", "--tune", "without=executions", "--json", text(&file), &program][..], options]
                .concat(),
        );
        assert_eq!(run.verdict(), "SAFE", "{name}");
        let json: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
        for other in [json!("bits"), json!("math"), json!("auto"), json!(7), json!(null)] {
            if json["certificate"]["integers"] == other {
                continue;
            }
            let mut changed = json.clone();
            changed["certificate"]["integers"] = other.clone();
            let run = certify(&program, &changed, "integers");
            assert_eq!((run.verdict(), run.code), ("ERROR(result)", 2), "{name} {other}: {}", run.stdout);
            assert!(run.stderr.contains(": /certificate/"), "{name} {other}: {}", run.stderr);
        }
    }
}

/// What is not modelled cannot be assumed away, nor can it be hidden behind another fingerprint.
#[test]
fn what_is_not_modelled_is_never_assumed() {
    let program = scratch("unmodelled.c");
    let text_of = "#include <setjmp.h>\nextern void reach_error(void); extern int nondet(void);\njmp_buf b;\n\
        int main(void) {\n  if (nondet() == 3)\n    longjmp(b, 1);\n  if (nondet() > 5 && nondet() < 3)\n    \
        reach_error();\n  return 0;\n}\n";
    fs::write(&program, text_of).expect("a program can be written");
    let (_, mut json, _file) = result("examples/spinlock_safe.c", "unmodelled");
    for check in 0..2 {
        json["certificate"]["assumed"] = json!([check]);
        json["certificate"]["procedures"] = json!([]);
        let run = certify(text(&program), &json, "unmodelled");
        assert_eq!(run.code, 2, "{check}: {}{}", run.stdout, run.stderr);
    }
}

/// The harness is for the tools of GNU and for what links as theirs do.
#[test]
#[cfg(target_os = "linux")]
fn compiled_programs_run_into_the_errors() {
    for name in
        ["spinlock_unsafe", "error_label", "recursion_unsafe", "early_return_unsafe", "unsigned_wrap_unsafe"]
    {
        let program = format!("examples/{name}.c");
        let (run, json, file) = result(&program, name);
        assert!(run.verdict().starts_with("UNSAFE("), "{name}: {}", run.verdict());
        let again = slam(&["replay", &program, text(&file)]);
        assert_eq!((again.verdict(), again.code), (run.verdict(), 10), "{name}: {}", again.stdout);
        assert!(json["replay"]["program"].is_string());
    }
}

/// By the names that checkers give them, which no library defines.
#[test]
#[cfg(target_os = "linux")]
fn assertions_and_assumptions_of_other_checkers_are_compiled() {
    let names = [
        ("__VERIFIER_assume", "__VERIFIER_assert"),
        ("__CPROVER_assume", "__CPROVER_assert"),
        ("assume_abort_if_not", "assert"),
    ];
    for (assume, assert) in names {
        let file = scratch(&format!("{assert}.c"));
        let program = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void {assume}(int);\nextern void {assert}();\n\
             int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  {assume}(x > 6);\n  \
             {assert}(x != 7, \"it is seven\");\n  return 0;\n}}\n"
        );
        fs::write(&file, program).expect("a program can be written");
        let (run, _, found) = result(text(&file), assert);
        assert!(run.verdict().starts_with("UNSAFE("), "{assert}: {}", run.verdict());
        let again = slam(&["replay", text(&file), text(&found)]);
        assert_eq!((again.verdict(), again.code), (run.verdict(), 10), "{assert}: {}", again.stdout);
    }
}

/// Small programs with loops, calls and pointers: whatever is called safe is certified.
#[test]
fn random_programs_that_are_safe_are_certified() {
    let cases: u64 = testing::number("TRUST_RANDOM_CASES", 12);
    let (mut safe, mut open) = (0, vec![]);
    for seed in 0..cases {
        let file = scratch(&format!("random{seed}.c"));
        fs::write(&file, Writer(Dice::new(seed)).program()).expect("a program can be written");
        let run =
            slam(&["check", "--certify", "--tune", "max-iterations=15", "--time-limit", "10s", text(&file)]);
        assert_ne!(run.code, 6, "seed {seed}: {}{}", run.stdout, run.stderr);
        if run.verdict() == "SAFE" {
            safe += 1;
            if !run.stdout.contains("\ncertified: ") {
                open.push(seed);
            }
        }
    }
    assert!(4 * safe >= cases, "{safe} of {cases} programs are safe");
    assert!(open.is_empty(), "not certified: {open:?}");
}

/// A writer of programs.
struct Writer(Dice);

impl Writer {
    fn condition(&mut self) -> String {
        let (a, op, b) = (
            self.0.word(&["g", "x", "y", "*p"]),
            self.0.word(&["==", "<", "<=", "!="]),
            self.0.word(&["0", "1", "3", "x", "g"]),
        );
        format!("{a} {op} {b}")
    }

    fn statement(&mut self, depth: usize) -> String {
        let simple = [
            "g = 0;",
            "g = 1;",
            "x = g;",
            "y = x;",
            "x = y;",
            "*p = 1;",
            "p = &x;",
            "p = &g;",
            "x = f(y);",
            "g = g;",
            "if (x < 3) x = x + 1;",
            "set(&y, x);",
            "y = nondet();",
        ];
        if depth == 0 {
            return self.0.word(&simple).to_owned();
        }
        let (c, s, t) = (self.condition(), self.statement(depth - 1), self.statement(depth - 1));
        match self.0.below(5) {
            0 => format!("if ({c}) {{ {s} }} else {{ {t} }}"),
            1 => format!("while (nondet()) {{ {s} if ({c}) break; }}"),
            2 => format!("if ({c}) {{ {s} {t} if (!({c})) g = 0; }}"),
            _ => format!("{s} {t}"),
        }
    }

    fn program(&mut self) -> String {
        let body: Vec<String> = (0..3).map(|_| self.statement(2)).collect();
        let (c, d) = (self.condition(), self.condition());
        format!(
            "extern void reach_error(void); extern int nondet(void);\nint g;\n\
             int f(int n) {{ if (n < 1) return 0; return n < 3 ? f(n - 1) + 1 : n; }}\n\
             void set(int *q, int v) {{ *q = v; if (v == 1) g = 1; }}\n\
             int main(void) {{\n  int x = 0, y = 1; int *p = &x;\n  {}\n\
             \x20 if ({c}) {{ x = 2; if ({d} && x != 2) reach_error(); if (g == 7 && x == 9) reach_error(); }}\n\
             \x20 return 0;\n}}\n",
            body.join("\n  ")
        )
    }
}
