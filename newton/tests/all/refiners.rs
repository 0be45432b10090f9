//! What each refiner promises: over its predicates alone the path is infeasible in the abstraction too, where each
//! statement of the path is abstracted exactly. The abstraction of a path is that of the path as a program of its own.

use crate::common::program::{Kind, condition, random, with_check, without_checks};
use crate::common::random_cases;
use crate::common::straight::Straight;
use bebop::{Answer, Query};
use c2bp::{Cache, Exact};
use cmm::analysis::{AliasMode, AliasOracle};
use cmm::arbitrary::calls::Dice;
use cmm::{Callee, EdgeId, LocId, Op, Path, PathStep, ProcId, Program};
use newton::{Outcome, Refiner, Refuted, path_text};
use pred::{IntMode, Precision, Predicate};
use smt::Interrupt;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

const REFINERS: [Refiner; 5] = [Refiner::Wp, Refiner::Sp, Refiner::WpAll, Refiner::Tree, Refiner::Loops];

/// With more predicates exact abstractions take too long.
const MOST: usize = 12;

/// Whether the abstraction of the path over these predicates still goes to its end; `None` when there are too many.
fn is_abstract_path(program: &Program, path: &Path, predicates: &[Predicate], mode: IntMode) -> Option<bool> {
    let straight = Straight::new(program, path);
    let precision = straight.precision(predicates.iter(), mode);
    if precision.len() > MOST {
        return None;
    }
    let oracle = AliasOracle::new(&straight.program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let options = c2bp::Options { exact: Exact::Everything, mode, ..c2bp::Options::new(&stop, &interrupt) };
    let abstraction =
        c2bp::abstract_program(&straight.program, &oracle, &precision, &options, &mut Cache::new())
            .expect("nobody stops it");
    let (cfg, _) = bp::Cfg::build(&abstraction.program, None).expect("abstractions are well-formed");
    let options = bebop::Options { trace: false, ..bebop::Options::new(Query::Assertions, &stop) };
    let outcome = bebop::check(&cfg, &options).expect("nobody stops it");
    Some(!matches!(outcome.answer, Answer::Unreachable))
}

/// A random walk from the program's entry: its steps, and where it is.
fn walk(program: &Program, length: usize, dice: &mut Dice) -> (Vec<PathStep>, (ProcId, LocId)) {
    let mut steps = vec![];
    let mut stack = vec![(program.entry, program.procs[program.entry].entry, None)];
    while steps.len() < length {
        let (p, at, call) = *stack.last().expect("the entry procedure stays open");
        let proc = &program.procs[p];
        let out: Vec<EdgeId> =
            proc.edges.iter_enumerated().filter(|(_, e)| e.src == at).map(|(e, _)| e).collect();
        if out.is_empty() {
            let Some((caller, e)) = call else { break };
            stack.pop();
            steps.push(PathStep::Leave(caller, e, p));
            continue;
        }
        let e = out[dice.below(out.len())];
        stack.last_mut().expect("it is open").1 = proc.edges[e].dst;
        match &proc.edges[e].op {
            Op::Call { callee: Callee::Direct(q), .. } if program.procs[*q].has_body => {
                steps.push(PathStep::Enter(p, e, *q));
                stack.push((*q, program.procs[*q].entry, Some((p, e))));
            }
            _ => steps.push(PathStep::Edge(p, e)),
        }
    }
    let (p, at, _) = stack[stack.len() - 1];
    (steps, (p, at))
}

/// How often a refiner gave nothing, and what its predicates did.
#[derive(Default, Debug)]
struct Gave {
    nothing: usize,
    too_many: usize,
    refuting: usize,
    not_refuting: usize,
}

#[derive(Default)]
struct Counted {
    paths: usize,
    by: BTreeMap<(bool, Refiner), Gave>,
}

fn add(sum: &mut Counted, other: Counted) {
    sum.paths += other.paths;
    for (key, gave) in other.by {
        let own = sum.by.entry(key).or_default();
        own.nothing += gave.nothing;
        own.too_many += gave.too_many;
        own.refuting += gave.refuting;
        own.not_refuting += gave.not_refuting;
    }
}

fn try_refiners(program: &Program, path: &Path, refuted: &Refuted<'_>, mode: IntMode, counted: &mut Counted) {
    let calls = path.steps.iter().any(|s| matches!(s, PathStep::Enter(..)));
    counted.paths += 1;
    for refiner in REFINERS {
        let found = refuted.refine(refiner, &Precision::new());
        let predicates: Vec<Predicate> = found.predicates.into_iter().map(|d| d.predicate).collect();
        let gave = counted.by.entry((calls, refiner)).or_default();
        if predicates.is_empty() {
            gave.nothing += 1;
            continue;
        }
        match is_abstract_path(program, path, &predicates, mode) {
            None => gave.too_many += 1,
            Some(false) => gave.refuting += 1,
            Some(true) => {
                gave.not_refuting += 1;
                if std::env::var("NEWTON_SHOW").is_ok_and(|w| w == refiner.short_name() || w.is_empty()) {
                    eprintln!(
                        "{refiner:?} {mode:?}: {:?}\n{}",
                        predicates.iter().map(|p| p.text(program)).collect::<Vec<_>>(),
                        path_text::print(program, path, &found.core)
                    );
                }
            }
        }
    }
}

fn law(seed: u64) -> Counted {
    let mut counted = Counted::default();
    let mut dice = Dice::new(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let kind = Kind::Calls;
    let Some(program) = random(kind, &mut dice) else { return counted };
    let program = without_checks(program);
    for _ in 0..3 {
        let length = 6 + dice.below(20);
        let (mut steps, at) = walk(&program, length, &mut dice);
        let Some(fails) = condition(kind, &program, at.0, &mut dice) else { continue };
        let Some((program, e)) = with_check(&program, at, fails) else { continue };
        steps.push(PathStep::Edge(at.0, e));
        let path = Path { steps };
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let interrupt = Interrupt::new();
        let mode = if seed.is_multiple_of(8) { IntMode::Bits } else { IntMode::Math };
        let options =
            newton::Options { mode, rlimit: newton::RLIMIT / 10, max_steps: 1000, interrupt: &interrupt };
        if let Outcome::Refuted(refuted) = newton::decide(&program, &oracle, &path, &options) {
            try_refiners(&program, &path, &refuted, mode, &mut counted);
        }
    }
    counted
}

#[test]
fn predicates_refute_the_path_by_themselves() {
    let counted = random_cases(300, law, add);
    eprintln!("{} refuted paths", counted.paths);
    for ((calls, refiner), gave) in &counted.by {
        eprintln!(
            "{} {}: {gave:?}",
            if *calls { "with calls" } else { "without calls" },
            refiner.short_name()
        );
    }
}
