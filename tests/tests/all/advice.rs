//! What `slam check` advises where it has no answer is measured: each program in `tests/advice` ends without one, and each
//! piece of advice that it is given is followed. Options are added as they stand; what a user would have to write stands beside the
//! program: `NAME.preds` (predicates), `NAME.model.c` (a function of the user's). The first lines of a program may have its
//! options (`//@ options:`), and those that make smaller bounds of it (`//@ bounded:`).

use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use tests::{parallel, root, slam};

/// A piece of advice by its kind, and the verdict that following it gives.
type Tried = Vec<(String, String)>;

#[test]
fn advice_is_what_helps() {
    let files = fs::read_dir(root().join("tests/advice"))
        .expect("it is there")
        .map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<String> = files
        .filter_map(|path| path.file_name()?.to_str()?.strip_suffix(".c").map(str::to_owned))
        .filter(|name| !name.contains('.'))
        .collect();
    programs.sort();
    assert!(programs.len() >= 20);
    let programs = testing::sample(programs, 10);
    let tried = parallel(2, programs.len(), |i| followed(&programs[i]));

    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut failed = vec![];
    for (program, tried) in programs.iter().zip(&tried) {
        let is_nothing = tried.iter().any(|(kind, _)| kind == "nothing");
        assert!(!tried.is_empty() && (!is_nothing || tried.len() == 1), "{program}: {tried:?}");
        for (kind, verdict) in tried {
            let helps = verdict == "SAFE" || verdict.starts_with("UNSAFE(");
            let count = counts.entry(kind).or_default();
            count.0 += usize::from(helps);
            count.1 += 1;
            if !helps && !is_nothing {
                failed.push((program, kind, verdict));
            }
        }
    }
    assert!(failed.len() <= 1, "{failed:?}");
    if !testing::is_long() {
        return;
    }
    let table = counts.iter().fold(String::new(), |mut out, (kind, (helped, given))| {
        let _ = writeln!(out, "{kind}: {helped} of {given}");
        out
    });
    expect![[r#"
        bits: 3 of 3
        bound: 6 of 6
        bytes: 1 of 1
        iterations: 1 of 1
        model: 5 of 5
        nothing: 0 of 3
        predicate: 2 of 2
        refiner: 1 of 2
    "#]]
    .assert_eq(&table);
}

/// What each piece of advice leads to.
fn followed(program: &str) -> Tried {
    let beside = |ending: &str| format!("tests/advice/{program}{ending}");
    let file = beside(".c");
    let text = fs::read_to_string(root().join(&file)).expect("the program can be read");
    let line = |what: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(what));
        found.map(|options| options.split_whitespace().collect::<Vec<&str>>())
    };
    let options = line("//@ options: ").unwrap_or_default();
    let check = |more: &[&str]| {
        let result = testing::file("result.json", "");
        // Each option has a value, and what is advised takes the place of what was given.
        let kept = options.chunks(2).filter(|pair| more.first() != pair.first()).flatten().copied();
        let kept: Vec<&str> = kept.collect();
        let run = slam(&[&["check", &file, "--json", result.as_str()][..], &kept, more].concat());
        let json = fs::read_to_string(result.as_str()).expect("the result is written");
        (run.verdict().to_owned(), serde_json::from_str::<Value>(&json).expect("results are JSON"))
    };
    let (verdict, result) = check(&[]);
    assert!(verdict.starts_with("UNKNOWN("), "{program}: {verdict}");

    let mut out = vec![];
    for advice in result["explanation"]["next"].as_array().expect("a list") {
        let kind = advice["kind"].as_str().expect("a name").to_owned();
        let given: Vec<&str> =
            advice["options"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let needs = |ending: &str| {
            let path = beside(ending);
            assert!(
                root().join(&path).exists(),
                "{path}: what a user would write after `{}`",
                advice["text"]
            );
            path
        };
        let verdict = match kind.as_str() {
            "checks" | "explanation" => continue,
            "nothing" => "nothing".to_owned(),
            "predicate" => check(&["--predicates", &needs(".preds")]).0,
            "model" => check(&["--model", &needs(".model.c")]).0,
            "bound" => check(&line("//@ bounded: ").expect("what a user would change")).0,
            "time" => check(&["--time-limit", "60s"]).0,
            "iterations" => check(&["--tune", "max-iterations=60"]).0,
            _ => check(&given).0,
        };
        out.push((kind, verdict));
    }
    out
}
