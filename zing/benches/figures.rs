//! The programs of the paper's Tables 1 to 3: states, summaries and processor time. `cargo bench -p zing --bench figures`; with
//! `-- --all` also what takes minutes.

#![allow(clippy::print_stdout, reason = "the table is what a bench is for")]

use base::SourceMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use zing::{Answer, Answers, Options, Overrides, compile, parse};

static RUN: AtomicBool = AtomicBool::new(false);

fn line(name: &str, constants: &[(&str, i32)], summaries: Answers) {
    let path = format!("{}/../examples/references/{name}.zn", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let mut sources = SourceMap::new();
    let file = sources.add(name, Some(text.as_str().into()));
    let overrides: Overrides = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let program = parse(&text, file).expect("the example is well-formed");
    let code = compile(&program, &overrides).expect("the example is well-formed");
    let started = Instant::now();
    let outcome = zing::check(&code, &Options { summaries, max_states: 5_000_000, ..Options::new(&RUN) });
    let seconds = started.elapsed().as_secs_f64();
    let answer = match &outcome.answer {
        Ok(Answer::Holds) => "holds".to_owned(),
        Ok(Answer::Fails { .. }) => "fails".to_owned(),
        Err(limit) => limit.to_string(),
    };
    let constants: String = constants.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let stats = outcome.stats;
    println!(
        "{:<30} {:<9} {answer:<10} {:>9} {:>9} {:>9} {seconds:>9.3}",
        format!("{name}{constants}"),
        format!("{summaries:?}"),
        stats.states,
        stats.summaries,
        stats.lookups,
    );
}

fn main() {
    let all = std::env::args().any(|a| a == "--all");
    println!(
        "{:<30} {:<9} {:<10} {:>9} {:>9} {:>9} {:>9}",
        "program", "summaries", "answer", "states", "summaries", "lookups", "seconds"
    );
    for n in [5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200] {
        line("fig10", &[("N", n)], Answers::Patterns);
    }
    for n in [5, 10, 15] {
        line("fig10", &[("N", n)], Answers::None);
    }
    for name in ["bluetooth_buggy", "bluetooth_fixed", "bakery", "philosophers"] {
        line(name, &[], Answers::None);
        line(name, &[], Answers::Patterns);
    }
    line("par_recursion", &[], Answers::Patterns);
    for name in ["transaction_manager_buggy", "transaction_manager_fixed"] {
        let ways: &[Answers] =
            if all { &[Answers::None, Answers::Visible, Answers::Patterns] } else { &[Answers::Patterns] };
        ways.iter().for_each(|way| line(name, &[], *way));
    }
}
