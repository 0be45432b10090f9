//! What the engine costs, by stages: `cargo bench -p bebop` for the template T(N) [BR-SPIN00 Fig. 4] from 100 to 12,800
//! procedures, `cargo bench -p bebop -- FILE.bp…` for files (label `SLIC_ERROR` or `R` where there is one,
//! else assertions). Each figure is the least CPU time of several batches of runs, since other programs may run beside it.

#![allow(clippy::print_stdout, reason = "a bench shows its figures")]

use bebop::{Answer, Options, Stats, check};
use bp::{Cfg, Dialect, VertexId, parse, print, random};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

static RUN: AtomicBool = AtomicBool::new(false);

/// CPU time of this thread, where the system reports it (Linux); else the time of day.
fn now(begin: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begin.elapsed(), Duration::from_nanos)
}

/// The time of one run, as the least mean of some batches, and the result of the last.
fn least<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best = Duration::MAX;
    let begin = Instant::now();
    loop {
        let (start, mut runs) = (now(begin), 0);
        loop {
            let result = work();
            runs += 1;
            let spent = now(begin) - start;
            if spent > Duration::from_millis(100) {
                best = best.min(spent / runs);
                if begin.elapsed() > Duration::from_secs(1) {
                    return (best, result);
                }
                break;
            }
        }
    }
}

fn ms(d: Duration) -> f64 {
    d.as_secs_f64() * 1e3
}

fn read(text: &str) -> bp::Program {
    let file = base::SourceMap::new().add("bench.bp", None);
    match parse(text, file, Dialect::C) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{errors:?}"),
    }
}

fn search(cfg: &Cfg, goals: &[VertexId], trace: bool) -> (Duration, (Answer, Stats)) {
    least(|| {
        // As the command asks.
        let (max_trace_steps, max_flat_steps) = (10_000, 10_000);
        let options =
            Options { trace, max_trace_steps, max_flat_steps, ..Options::new(goals.to_vec(), &RUN) };
        let outcome = check(cfg, &options).expect("nothing stops it");
        (outcome.answer, outcome.stats)
    })
}

fn template(n: usize) {
    let text = print(&random::template(n));
    let (parsing, program) = least(|| read(&text));
    let (building, (cfg, _)) = least(|| Cfg::build(&program, None).expect("the template is well-formed"));
    let (all, (_, stats)) = search(&cfg, &[], false);
    let end = vec![cfg.procs[cfg.entry].exit];
    let (traced, _) = search(&cfg, &end, true);
    println!(
        "{n:>7} {:>9.1} {:>9.1} {:>9.1} {:>9.1} | {:>9} {:>9} {:>9}",
        ms(parsing),
        ms(building),
        ms(all),
        ms(traced),
        stats.rounds,
        stats.summaries,
        stats.nodes
    );
}

fn file(path: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (cfg, _) = Cfg::build(&read(&text), None).unwrap_or_else(|e| panic!("{path}: {e:?}"));
    let labelled = ["SLIC_ERROR", "R"].map(|label| cfg.find_label(label)).concat();
    let goals = if labelled.is_empty() { cfg.failures() } else { labelled };
    let (plain, (answer, stats)) = search(&cfg, &goals, false);
    let (traced, _) = search(&cfg, &goals, true);
    let answer = if matches!(answer, Answer::Unreachable) { "unreachable" } else { "reachable" };
    println!(
        "{path} {answer} {:.1} ms, with trace {:.1} ms, {} rounds, {} nodes, {} made",
        ms(plain),
        ms(traced),
        stats.rounds,
        stats.nodes,
        stats.nodes_made
    );
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    if !files.is_empty() {
        files.iter().for_each(|path| file(path));
        return;
    }
    println!("{:>7} {:>39} |", "T(N)", "ms");
    println!(
        "{:>7} {:>9} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9}",
        "N", "parse", "graph", "engine", "+ trace", "rounds", "summaries", "nodes"
    );
    for n in [100, 200, 400, 800, 1600, 3200, 6400, 12800] {
        template(n);
    }
}
