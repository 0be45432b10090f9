//! Questions that take long, which bebop and getafix ask in parts: the answers are those of the whole.

use crate::commands::run;
use base::SourceMap;
use bdd::Biodivine;
use bebop::explicit::check_trace;
use bebop::{Answer, Options, PATIENCE, Parts, Progress, Query, check_in_parts};
use bp::random::{Choices, copies};
use bp::{Cfg, Dialect, parse};
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// Pairs of copies; the last has one that is made wrong. All make more than [`PATIENCE`] nodes as a whole.
fn programs() -> Vec<(String, bool)> {
    let program = |seed: u32, differ| {
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            Some((*state >> 16) as u16)
        };
        let numbers: Vec<u16> = (0..4000).scan(seed, |state, _| next(state)).collect();
        (copies(&mut Choices::new(&numbers), 14, 150, differ), differ)
    };
    vec![program(12_347, false), program(12_347, true)]
}

#[test]
fn bebop_answers_in_parts() {
    for (text, differ) in programs() {
        let (program, _) =
            parse(&text, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed");
        let (cfg, _) = Cfg::build(&program, None).expect("well-formed");
        let (parts, mut progress) = (Parts::new(), Progress::default());
        let options = Options::new(Query::Label("GOAL".into()), &RUN);
        let engine = |vars| Biodivine::new(vars, &RUN);
        let outcome = check_in_parts(&cfg, (&parts, PATIENCE), &options, &mut progress, engine);
        let outcome = outcome.expect("nothing stops it");
        assert!(outcome.stats.nodes_made > PATIENCE && outcome.stats.nodes_made < 2 * PATIENCE);
        match outcome.answer {
            Answer::Reachable { trace: Some(trace), .. } if differ => {
                // In main: the assignment, the call, and the condition.
                assert_eq!(trace.length(), 3);
                check_trace(&cfg, &trace).unwrap_or_else(|e| panic!("{e}"));
            }
            Answer::Unreachable if !differ => {}
            answer => panic!("{answer:?}"),
        }
    }
}

#[test]
fn getafix_answers_in_parts() {
    for (text, differ) in programs() {
        let out = run(&["-", "--label", "GOAL", "--stats", "--algorithm", "ef"], &text);
        let made = out.lines().find_map(|line| line.strip_prefix("STAT bdd-nodes-made: "));
        let made: u64 = made.expect("it is there").parse().expect("it is a number");
        assert!(made > PATIENCE && made < 2 * PATIENCE, "{made}");
        let end =
            if differ { "VERDICT: REACHABLE(GOAL)\nexit 10\n" } else { "VERDICT: UNREACHABLE\nexit 0\n" };
        assert!(out.ends_with(end), "{out}");
        // The last line of the trace tells of a pair that differs.
        let differs = |line: &str| {
            let value = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name));
            (0..14).any(|i| value(&format!("g{i}=")).is_some_and(|g| value(&format!("h{i}=")) != Some(g)))
        };
        let end = out.lines().find(|line| line.contains("GOAL: skip"));
        assert_eq!(end.is_some_and(differs), differ, "{out}");
    }
}
