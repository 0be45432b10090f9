//! The law of rules: for random pairs of a program and a rule the verdict of `slam check --rule` is what a monitor of the
//! rule finds that stands beside the interpreter, over all inputs of a small domain that has all outcomes.
//!
//! The monitor shares nothing with the product but the syntax tree: it sees calls as the interpreter makes them in the program
//! without marks, keeps a state for each object by itself, and follows every choice. `RULES_CASES` is the number of pairs
//! and `RULES_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

mod monitor;
mod pairs;

use base::SourceMap;
use pairs::Pair;
use testing::number;
use tests::{parallel, slam};

/// What is wrong with a pair; and whether the rule is broken.
fn one(seed: u64) -> Result<Option<bool>, String> {
    let pair = Pair::new(seed);
    let scratch = testing::Scratch::new();
    let program = scratch.file("program.c", &pair.program);
    let rule_file = scratch.file("rule.slic", &pair.rule);
    let mut sources = SourceMap::new();
    let file = sources.add("rule.slic", Some(pair.rule.as_str().into()));
    let rule = slic::read(&pair.rule, file)
        .map_err(|found| format!("seed {seed}: {}\n{}", found[0].render(&sources), pair.rule))?;
    let options =
        cfront::Options { need_checks: false, malloc_may_fail: false, ..cfront::Options::default() };
    let front = cfront::load(std::slice::from_ref(&program), &options)
        .map_err(|f| format!("seed {seed}: {}\n{}", f.diagnostics[0].render(&f.sources), pair.program))?;
    let broken = monitor::breaks(&front.program, &rule);
    let text = |path: &std::path::Path| path.to_str().expect("scratch paths are UTF-8").to_owned();
    let (program, rule_file) = (text(&program), text(&rule_file));
    // Executions and unrolling decide most pairs, if they may.
    let way: &[&str] = match seed % 3 {
        0 => &[],
        1 => &["--tune", "without=unrolling,induction"],
        _ => &["--tune", "without=executions,unrolling,induction"],
    };
    let mut words = vec!["check", "--time-limit", "20s", "--threads", "1", "--malloc-may-fail", "no"];
    words.extend(way);
    words.extend(["--rule", &rule_file, &program]);
    let run = slam(&words);
    let verdict = run.verdict();
    let agrees = match broken {
        true => verdict.starts_with("UNSAFE(rule rule)"),
        false => verdict.starts_with("SAFE"),
    };
    if agrees {
        return Ok(Some(broken));
    }
    if verdict.starts_with("UNKNOWN") {
        return Ok(None);
    }
    Err(format!(
        "seed {seed}: the monitor says {broken}, slam {verdict}\n{}\n{}\n{}",
        pair.program, pair.rule, run.stderr
    ))
}

#[test]
fn verdicts_are_what_an_independent_monitor_finds() {
    let (cases, first) = (number("RULES_CASES", 24), number("RULES_FIRST", 0));
    let results = parallel(2, cases as usize, |n| one(first + n as u64));
    let wrong: Vec<&String> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {cases} pairs:\n{}", wrong.len(), wrong[0]);
    let count = |what| results.iter().filter(|r| r.as_ref().is_ok_and(|v| *v == what)).count();
    let (broken, kept, open) = (count(Some(true)), count(Some(false)), count(None));
    // Both outcomes occur, and few pairs stay open.
    let told = format!("{broken} broken, {kept} kept, {open} not decided");
    println!("{told}");
    assert!(
        5 * broken >= cases as usize && 5 * kept >= cases as usize && 20 * open <= cases as usize,
        "{told}"
    );
}
