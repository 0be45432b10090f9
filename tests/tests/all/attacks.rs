//! Results that somebody changed, against programs that somebody changed: none is certified or confirmed that does not
//! hold, nothing panics, and no command runs.
//!
//! Each case takes a result of `slam check --json`, makes one to three changes that depend on its number alone, gives it
//! the fingerprint of another program half of the time, and hands it to `slam certify` or `slam replay` with a program
//! that is safe or not by construction. `ATTACK_CASES` says how many cases there are.

mod changes;
mod files;
mod victims;

use changes::{change, injections};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{Dice, folder, text};
use tests::{Run, root, slam};
use victims::{VICTIMS, Victim};

/// Cases without a word in the environment.
const CASES: u64 = 60;

/// How many cases there are.
fn cases() -> u64 {
    testing::number("ATTACK_CASES", CASES)
}

/// A program as a file, and a result about it.
struct Prepared {
    victim: &'static Victim,
    /// The program itself, and the changed one.
    files: [PathBuf; 2],
    /// What stands for each in a result, where it could be found out.
    fingerprints: [Option<String>; 2],
    result: Value,
}

/// What stands for a program in a result: anybody can compute it, which must not matter.
pub(crate) fn fingerprint(file: &Path, shown: &[&str], mode: &str) -> String {
    let run = slam(&[&["cmm", text(file)][..], shown].concat());
    let lines = run.stdout.lines().map(|line| line.split("  // ").next().unwrap_or_default());
    let printed: String = lines.map(|line| format!("{line}\n")).collect::<String>() + mode;
    let hash = printed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn prepare(n: usize, victim: &'static Victim) -> Prepared {
    let dir = folder();
    let (from, to) = victim.change;
    assert!(victim.text.contains(from), "{n}");
    let texts = [victim.text.to_owned(), victim.text.replacen(from, to, 1)];
    let files = [0, 1].map(|i| dir.join(format!("program{n}_{i}.c")));
    for (file, text) in files.iter().zip(&texts) {
        fs::write(file, text).expect("a program can be written");
    }
    let json = dir.join(format!("result{n}.json"));
    let run = slam(&[&["check", "--json", text(&json), text(&files[0])][..], victim.options].concat());
    let expected = if victim.safe { 0 } else { 10 };
    assert_eq!(run.code, expected, "program {n}:\n{}{}", run.stdout, run.stderr);
    let other = slam(&[&["check", text(&files[1])][..], victim.options].concat());
    assert_eq!(other.code, 10 - expected, "changed program {n}:\n{}{}", other.stdout, other.stderr);
    let result: Value = serde_json::from_str(&fs::read_to_string(&json).expect("a result")).expect("JSON");
    let (place, mut shown) =
        if victim.safe { ("/certificate/program", vec!["--sliced"]) } else { ("/replay/program", vec![]) };
    shown.extend(victim.options.windows(2).filter(|w| ["--check", "--alias"].contains(&w[0])).flatten());
    let mode = result["certificate"]["integers"].as_str().unwrap_or("math").to_owned();
    let found = [0, 1].map(|i| fingerprint(&files[i], &shown, &mode));
    // Where it is not what the result has, the printed form is another one.
    let right = result.pointer(place) == Some(&Value::from(found[0].clone()));
    let fingerprints = found.map(|f| right.then_some(f));
    Prepared { victim, files, fingerprints, result }
}

/// What a command said of a changed result, and whether that is right.
fn judge(case: u64, prepared: &Prepared, n: usize, result: &Value, run: &Run) {
    let shown = format!(
        "case {case}, program {}\n{}{}\n{result:#}",
        text(&prepared.files[n]),
        run.stdout,
        run.stderr
    );
    let is_safe = prepared.victim.safe == (n == 0);
    assert!([0, 2, 5, 6, 10].contains(&run.code), "{shown}");
    // A certificate that does not hold is refuted; nothing else is an internal error.
    assert!(run.code != 6 || run.stdout.starts_with("certificate refuted at "), "{shown}");
    assert!(run.code != 2 || !run.stderr.is_empty(), "{shown}");
    let verdict = run.verdict();
    let under = run.stdout.contains("\n  assumed: ");
    assert!(verdict != "SAFE" || is_safe && !under, "{shown}");
    let found = verdict.starts_with("UNSAFE");
    if verdict.starts_with("SAFE(") || found && (is_safe || under) {
        assert!(under, "{shown}");
        assert_ne!(checked_again(prepared, n, result), Some(found), "{shown}");
    }
    if found {
        // The place is one of the program, whatever the result says.
        let place = format!(" at {}:", text(&prepared.files[n]));
        assert!(verdict.contains(&place), "{shown}");
    }
}

/// What `slam check` says under the options of a result, in a short time: safe, unsafe or nothing.
fn checked_again(prepared: &Prepared, n: usize, result: &Value) -> Option<bool> {
    let options = &result["options"];
    let list = |key: &str| -> Vec<String> {
        options[key].as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let one = |key: &str| options[key].as_str().unwrap_or_default().to_owned();
    let mut args = ["check", text(&prepared.files[n]), "--tune=max-iterations=4", "--time-limit=5s"]
        .map(str::to_owned)
        .to_vec();
    args.push(format!("--check=only:{}", list("checks").join(",")));
    args.push(format!("--entry={}", one("entry")));
    args.push(format!("--data-model={}", one("data_model")));
    args.push(format!("--extern={}", one("extern")));
    args.extend(list("defines").iter().map(|d| format!("-D{d}")));
    args.extend(list("undefs").iter().map(|d| format!("-U{d}")));
    args.extend(list("include_dirs").iter().map(|d| format!("-I{d}")));
    args.extend(list("includes").iter().map(|d| format!("--include={d}")));
    args.extend(list("models").iter().map(|d| format!("--model={d}")));
    args.extend((options["signed_wrap"] == json!(true)).then(|| "--signed-overflow=wrap".to_owned()));
    args.extend((options["malloc_may_fail"] == json!(false)).then(|| "--malloc-may-fail=no".to_owned()));
    args.extend((options["no_preprocess"] == json!(true)).then(|| "--no-preprocess".to_owned()));
    let assumed = result["certificate"]["assumed"].as_array().is_some_and(|list| !list.is_empty());
    let function = !options["error_function"].is_null();
    // Checks by their numbers, and the error function of a property, have no option.
    if assumed || function {
        return None;
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match slam(&args).code {
        0 => Some(true),
        10 => Some(false),
        _ => None,
    }
}

/// The list of options that the injections name does what it should where a compiler takes it for one.
fn positive_control(dir: &Path) {
    let (marker, list) = (dir.join("pwned"), dir.join("evil.rsp"));
    fs::write(&list, format!("-wrapper \"sh,-c,touch {}\"\n", text(&marker))).expect("a file can be written");
    let source = dir.join("program0_0.c");
    let status = Command::new("cc")
        .args(["-E", "-o", "/dev/null", &format!("@{}", text(&list)), text(&source)])
        .status();
    assert!(status.is_ok() && marker.exists(), "a compiler that reads the list runs a command");
    fs::remove_file(marker).expect("the marker is there");
}

#[test]
fn changed_results_deceive_nobody() {
    root();
    let cases = cases();
    let dir = folder();
    let prepared: Vec<Prepared> = VICTIMS.iter().enumerate().map(|(n, v)| prepare(n, v)).collect();
    let known = prepared.iter().filter(|p| p.fingerprints[1].is_some()).count();
    assert!(known >= 4, "only {known} programs' fingerprints can be forged");
    positive_control(&dir);
    let injected = injections(&dir);
    let mut tally: Map<String, Value> = Map::new();
    for case in 0..cases {
        let mut random = Dice::new(case);
        let one = random.of(&prepared);
        let n = random.below(2);
        let mut result = one.result.clone();
        (0..=random.below(3)).for_each(|_| change(&mut random, &mut result, &injected));
        if random.below(2) == 0
            && let Some(print) = &one.fingerprints[n]
        {
            let place = if one.victim.safe { "/certificate/program" } else { "/replay/program" };
            result.pointer_mut(place).into_iter().for_each(|v| *v = print.clone().into());
        }
        let file = dir.join("changed.json");
        fs::write(&file, result.to_string()).expect("a result can be written");
        let command = if one.victim.safe { "certify" } else { "replay" };
        let run = slam(&[command, "--time-limit", "10s", text(&one.files[n]), text(&file)]);
        judge(case, one, n, &result, &run);
        assert!(
            !dir.join("pwned").exists() && !root().join("pwned").exists(),
            "case {case} ran a command:\n{result:#}"
        );
        let word = run.verdict().split(['(', ' ']).next().unwrap_or_default();
        let count = tally.entry(format!("{command} {word} {}", run.code)).or_insert(json!(0));
        *count = json!(count.as_u64().unwrap_or(0) + 1);
    }
    // The figures, for runs with many cases.
    let _ = writeln!(std::io::stderr(), "{}", Value::Object(tally.clone()));
    assert!(tally.len() > 3, "the changes are of many kinds: {tally:?}");
}
