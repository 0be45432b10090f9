//! Printed invariants are true: every invariant in a result about an example - in its text, in `--json` (`invariants`,
//! `facts`), in a witness, by `--dump-invariants` - is put into the example at its loop, and executed with random
//! inputs.
//!
//! `TOLD_EXAMPLES` is how many of the examples are taken (from `TOLD_FIRST` on, spread over all of them) and `TOLD_RUNS` how often
//! each is executed; the figures are printed (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use testing::{Scratch, number};
use tests::{example_files, parallel, slam};

/// The function that a statement calls which is not true.
const FALSE: &str = "reach_error";

/// A loop of an example: where its keyword stands, from 1.
type Place = (usize, Option<usize>);

/// What an example says of how it is checked: the options behind `//@ verdict:`.
fn options(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.split_once("//@ verdict:").map(|(_, rest)| rest));
    let words = line.unwrap_or_default().split_whitespace().skip_while(|w| !w.starts_with("--"));
    words.map(str::to_owned).collect()
}

/// The conditions reported about the loops of a file.
#[derive(Default)]
struct Told {
    all: BTreeMap<Place, BTreeSet<String>>,
}

impl Told {
    fn add(&mut self, line: usize, column: Option<usize>, condition: &str) {
        if !has_no_words(condition) {
            self.all.entry((line, column)).or_default().insert(condition.to_owned());
        }
    }
}

/// Whether C has no words for a condition: how many elements stand before and behind a pointer, values at the beginning of the
/// function, states of rules and other variables that are not the program's, which end in `__` and a number.
fn has_no_words(condition: &str) -> bool {
    let breaks = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let is_added = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("__");
    let calls = ["left(", "before(", "old(", "start("];
    calls.iter().any(|call| condition.contains(call)) || condition.split(breaks).any(is_added)
}

/// The line in `FILE:LINE` or `FILE:LINE:COLUMN`, if it is of this file.
fn place(text: &str, file: &str) -> Option<Place> {
    let rest = text.strip_prefix(file)?.strip_prefix(':')?;
    let mut numbers = rest.split(':').map(|n| n.trim().parse::<usize>().ok());
    let line = numbers.next()??;
    Some((line, numbers.next().flatten()))
}

/// All that the checker says of the loops of a file.
fn told(file: &str, options: &[String]) -> Told {
    let mut out = Told::default();
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path().join(name).to_str().expect("scratch paths are UTF-8").to_owned();
    let (json, dumped, witness) = (path("a.json"), path("a.inv"), path("a.yml"));
    let mut args =
        vec!["check", "--time-limit", "5s", "--threads", "1", "--json", &json, "--dump-invariants", &dumped];
    args.extend(["--write-witness", &witness]);
    args.extend(options.iter().map(String::as_str));
    args.push(file);
    let run = slam(&args);
    for line in run.stdout.lines() {
        let Some(rest) = line.trim_start().strip_prefix("at the loop, ") else { continue };
        let Some((at, condition)) = rest.split_once(":   ") else { continue };
        if condition.starts_with("at most ") {
            continue;
        }
        if let Some((line, column)) = place(at, file) {
            out.add(line, column, condition);
        }
    }
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let result: Value = serde_json::from_str(&read(&json)).unwrap_or(Value::Null);
    for one in result["invariants"].as_array().into_iter().flatten() {
        if let (Some(at), Some(condition)) = (one["place"].as_str(), one["invariant"].as_str())
            && let Some((line, column)) = place(at, file)
        {
            out.add(line, column, condition);
        }
    }
    let facts = result["facts"].as_array().into_iter().flatten();
    for one in facts.filter(|one| one["kind"] == "loop" && one["in_source_words"] == true) {
        if let (Some(at), Some(condition)) = (one["place"].as_str(), one["invariant"].as_str())
            && let Some((line, _)) = place(at, file)
        {
            out.add(line, one["column"].as_u64().map(|n| n as usize), condition);
        }
    }
    for line in read(&dumped).lines().filter(|line| !line.trim_start().starts_with("//")) {
        let text = line.split("  //").next().unwrap_or_default();
        let Some((at, condition)) = text.split_once(": loop: ") else { continue };
        if let Some((line, column)) = place(at, file) {
            out.add(line, column, condition);
        }
    }
    for (line, column, condition) in of_witness(&read(&witness)) {
        out.add(line, Some(column), &condition);
    }
    out
}

/// The loop invariants of a witness in YAML: line, column and condition.
fn of_witness(text: &str) -> Vec<(usize, usize, String)> {
    let mut out = vec![];
    for part in text.split("- invariant:").skip(1).filter(|part| part.contains("loop_invariant")) {
        let member = |name: &str| {
            let line = part.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{name}: ")))?;
            Some(line.trim().trim_matches(|c| c == '"' || c == '\'').replace("''", "'"))
        };
        let number = |name: &str| member(name)?.parse::<usize>().ok();
        if let (Some(line), Some(column), Some(condition)) =
            (number("line"), number("column"), member("value"))
        {
            out.push((line, column, condition));
        }
    }
    out
}

/// A condition as C: what is said of all elements of a range is a loop.
fn as_c(condition: &str) -> String {
    let text = condition.replace("(mathint)", "(__int128)");
    let parts = text.strip_prefix("forall ").and_then(|rest| {
        let (variable, rest) = rest.split_once(" in [")?;
        let (range, body) = rest.split_once("): ")?;
        let (from, to) = range.split_once(", ")?;
        Some((variable, from, to, body))
    });
    match parts {
        Some((variable, from, to, body)) => format!(
            "({{ int holds_ = 1; for (long {variable} = {from}; {variable} < (long)({to}); {variable}++) if (!({body})) holds_ = 0; holds_; }})"
        ),
        None => format!("({text})"),
    }
}

/// The number of the byte behind the parenthesis that is opened at a place.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (n, b) in text.iter().enumerate().skip(open) {
        match b {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

/// The keywords of loops in a line.
fn keywords(line: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = vec![];
    for word in ["while", "for", "do"] {
        for (n, _) in line.match_indices(word) {
            let before = line[..n].chars().next_back().is_none_or(|c| !is_word(c));
            let behind = line[n + word.len()..].chars().next().is_none_or(|c| !is_word(c));
            // The end of a `do` loop is not a head.
            let ends = word == "while" && line[..n].trim_end().ends_with('}');
            if before && behind && !ends {
                out.push((n, word));
            }
        }
    }
    out.sort_unstable();
    out
}

/// The text with a statement at the head of each loop with reported conditions; `None` where a loop is not found.
fn with_statements(text: &str, told: &Told) -> Option<(String, usize)> {
    let mut at: BTreeMap<usize, String> = BTreeMap::new();
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(n, _)| n + 1)).collect();
    let mut count = 0;
    for ((line, column), conditions) in &told.all {
        let start = *starts.get(line - 1)?;
        let words = keywords(text[start..].lines().next().unwrap_or_default());
        let found = match column {
            Some(column) => words.iter().find(|(n, _)| n + 1 == *column),
            None if words.len() == 1 => words.first(),
            None => None,
        };
        // Loops that `goto` makes, and lines with several loops.
        let Some((n, word)) = found else { continue };
        let mut checks = String::new();
        for condition in conditions {
            count += 1;
            let _ = write!(checks, "if (!{}) {FALSE}();", as_c(condition));
        }
        let from = start + n + word.len();
        let (place, statement) = match *word {
            "do" => (from + text[from..].find('{')? + 1, format!(" {{ {checks} }}")),
            "while" => (from + text[from..].find('(')? + 1, format!("({{ {checks} 0; }}), ")),
            _ => {
                let open = from + text[from..].find('(')?;
                let end = closing(text.as_bytes(), open)?;
                let semicolon = open + text[open..end].find(';')? + 1;
                let is_empty = text[semicolon..end].trim_start().starts_with(';');
                (semicolon, format!("({{ {checks} 0; }}), {}", if is_empty { "1" } else { "" }))
            }
        };
        at.entry(place).or_default().push_str(&statement);
    }
    let mut out = text.to_owned();
    for (place, statement) in at.iter().rev() {
        out.insert_str(*place, statement);
    }
    Some((out, count))
}

/// How many conditions are reported about an example, and what is wrong with them.
fn one(path: &Path, runs: u64) -> (usize, Option<String>) {
    let file = path.strip_prefix(tests::root()).unwrap_or(path).to_str().expect("names are UTF-8").to_owned();
    let text = std::fs::read_to_string(path).expect("the example can be read");
    // Threads: the reported conditions are about a program that was made of the example.
    if text.contains("pthread") || text.contains("threads.h") {
        return (0, None);
    }
    let told = told(&file, &options(&text));
    // Errors of the example itself are not what is looked for.
    let plain = text.replace(&format!("{FALSE}()"), "slam_end_()");
    let Some((changed, count)) = with_statements(&plain, &told) else { return (0, None) };
    if count == 0 {
        return (0, None);
    }
    let prologue = format!(
        "#include <stddef.h>\nextern void {FALSE}(void); void exit(int); static void slam_end_(void) {{ exit(0); }}\n"
    );
    let changed = format!("{prologue}{changed}");
    let scratch = Scratch::new();
    let source = scratch.file("a.c", &changed);
    let source = source.to_str().expect("scratch paths are UTF-8");
    let json = scratch.path().join("a.json");
    let json = json.to_str().expect("scratch paths are UTF-8");
    let include = path.parent().and_then(Path::to_str).expect("examples have a folder");
    for seed in 0..runs {
        let seed = seed.to_string();
        let mut args = vec!["run", "--seed", &seed, "--step-limit", "100000", "--json", json, "-I", include];
        args.push(source);
        let run = slam(&args);
        let ended =
            std::fs::read_to_string(json).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let Some(ended) = ended else {
            return (count, Some(format!("{file} is not executed: {}\n{changed}", run.stderr)));
        };
        if ended["message"] == format!("{FALSE}() is called") {
            return (count, Some(format!("{file}, seed {seed}: not true\n{:?}\n{changed}", told.all)));
        }
    }
    (count, None)
}

#[test]
fn what_is_told_of_examples_holds_in_executions() {
    let all = example_files();
    let (wanted, first) = (number("TOLD_EXAMPLES", 5) as usize, number("TOLD_FIRST", 0) as usize);
    let step = (all.len() / wanted.max(1)).max(1);
    let chosen: Vec<&PathBuf> = all.iter().skip(first).step_by(step).collect();
    let runs = number("TOLD_RUNS", 20);
    let found = parallel(2, chosen.len(), |n| one(chosen[n], runs));
    let count: usize = found.iter().map(|(count, _)| count).sum();
    println!("{} examples, {count} conditions at loops, {runs} runs each", chosen.len());
    let wrong: Vec<String> = found.into_iter().filter_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 5, "{count} conditions are told");
}
