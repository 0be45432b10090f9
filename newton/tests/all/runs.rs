//! The path of a concrete run can be executed: no path that the interpreter goes is refuted, in no integer mode, nor is
//! what `shorten` leaves of it. The path ends with a check that fails with the values that the run has there.

use crate::common::program::{Kind, condition, parsed, random, with_check, without_checks};
use crate::common::random_cases;
use alias::{AliasMode, AliasOracle};
use encoding::IntMode;
use executions::Replay;
use interp::{self, Inputs, Outcome, State, UninitRead, Value};
use ir::{EdgeId, Expr, HavocKind, LocId, Path, PathStep, ProcId, Program, Type};
use newton::{Options, path_text};
use smt::Interrupt;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// Random inputs; what is true at some step of the run is noted.
pub(crate) struct Run<'a> {
    dice: Dice,
    /// What is asked behind the steps of these numbers.
    questions: &'a [(usize, Vec<Expr>)],
    pub(crate) steps: Vec<PathStep>,
    pub(crate) notes: Vec<Note>,
}

/// A state of the run.
pub(crate) struct Note {
    /// The number of steps to it.
    pub(crate) steps: usize,
    pub(crate) at: (ProcId, LocId),
    /// What holds there.
    pub(crate) facts: Vec<Expr>,
}

/// A value that a run is given.
pub(crate) fn drawn(dice: &mut Dice, ty: &Type) -> Value {
    match ty {
        Type::Ptr(_) if dice.below(2) == 0 => Value::Null,
        Type::Ptr(_) => Value::FreshObject(64),
        _ => Value::Int(dice.below(5) as i128 - 1),
    }
}

/// The value of what was not written.
pub(crate) fn unwritten(dice: &mut Dice, ty: &Type) -> Value {
    // A pointer without a value points nowhere.
    if ty.is_ptr() { Value::Null } else { drawn(dice, ty) }
}

impl Inputs for Run<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        drawn(&mut self.dice, ty)
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        unwritten(&mut self.dice, ty)
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.dice.below(3) == 0
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        self.steps.push(step);
        for (_, asked) in self.questions.iter().filter(|(n, _)| *n == self.steps.len()) {
            let mut facts = vec![];
            for e in asked {
                match state.value(e) {
                    Ok(Value::Int(0)) => facts.push(e.clone().negated()),
                    Ok(Value::Int(_)) => facts.push(e.clone()),
                    _ => {}
                }
            }
            self.notes.push(Note { steps: self.steps.len(), at: (state.proc(), state.location()), facts });
        }
    }
}

/// A run with random inputs; the questions are asked behind the steps of these numbers.
pub(crate) fn execute<'a>(
    program: &Program,
    seed: u64,
    questions: &'a [(usize, Vec<Expr>)],
) -> (Run<'a>, interp::Run) {
    let mut run = Run { dice: Dice::new(seed), questions, steps: vec![], notes: vec![] };
    let limits = interp::Limits { steps: 150, trace: 1000, ..interp::Limits::default() };
    let ended = interp::run(program, &mut run, &limits, &AtomicBool::new(false));
    (run, ended)
}

/// What was tried, and what newton said.
#[derive(Default, Debug)]
struct Counted {
    paths: usize,
    shortened: usize,
    feasible: usize,
    replayed: usize,
    /// Replays that went elsewhere, although nothing was over-approximated, and why.
    diverged: BTreeMap<String, usize>,
    gave_up: usize,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.paths += other.paths;
        self.shortened += other.shortened;
        self.feasible += other.feasible;
        self.replayed += other.replayed;
        for (why, n) in other.diverged {
            *self.diverged.entry(why).or_default() += n;
        }
        self.gave_up += other.gave_up;
    }
}

/// The path is not refuted.
fn holds(program: &Program, path: &Path, counted: &mut Counted) {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let interrupt = Interrupt::new();
    let math = encoding::integers::choose(program, Some(IntMode::Math)).is_ok();
    let short = newton::shorten(program, &oracle, path);
    counted.shortened += usize::from(short.is_some());
    for mode in [IntMode::Math, IntMode::Bits].into_iter().skip(usize::from(!math)) {
        let options = Options { mode, rlimit: smt::RLIMIT / 10, max_steps: 1000, interrupt: &interrupt };
        let mut paths = newton::Paths::new(&options);
        for path in std::iter::once(path).chain(&short) {
            counted.paths += 1;
            match paths.decide(program, &oracle, path, &options) {
                newton::Outcome::Refuted(refuted) => {
                    let core = refuted.refine(newton::Refiner::Wp, &predicates::Precision::new()).core;
                    panic!(
                        "a run takes this path, which {mode:?} refutes:\n{}\n{}",
                        ir::print::program(program, None),
                        path_text::print(program, path, &core)
                    );
                }
                newton::Outcome::GaveUp(_) => counted.gave_up += 1,
                newton::Outcome::Feasible { inputs, inexact } => {
                    counted.feasible += 1;
                    let limits = interp::Limits { steps: 1000, ..interp::Limits::default() };
                    let stop = AtomicBool::new(false);
                    match executions::replay(program, program, &inputs, path, &limits, &stop) {
                        Replay::Reached(..) => counted.replayed += 1,
                        Replay::Diverged { end: why, .. } if inexact.is_empty() => {
                            *counted.diverged.entry(why.to_string()).or_default() += 1;
                        }
                        Replay::Diverged { .. } => {}
                    }
                }
            }
        }
    }
}

/// Some ends of one run of a random program.
fn law(seed: u64) -> Counted {
    let mut counted = Counted::default();
    let mut dice = Dice::new(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let kind = if seed.is_multiple_of(3) { Kind::Pointers } else { Kind::Calls };
    let Some(program) = random(kind, &mut dice) else { return counted };
    let inputs = dice.below(1 << 30) as u64;
    let (_, ended) = execute(&program, inputs, &[]);
    if matches!(ended.outcome, Outcome::CheckFailed(_)) {
        let steps: Vec<PathStep> = ended.trace.iter().map(|t| t.step).collect();
        holds(&program, &Path { steps }, &mut counted);
    }
    // Most of the interesting part is behind the first checks.
    let program = without_checks(program);
    let (first, _) = execute(&program, inputs, &[]);
    let questions: Vec<(usize, Vec<Expr>)> = (0..3)
        .filter(|_| !first.steps.is_empty())
        .map(|_| {
            let n = 1 + dice.below(first.steps.len()).max(dice.below(first.steps.len()));
            let p = proc_behind(first.steps[n - 1]);
            (n, (0..6).filter_map(|_| condition(kind, &program, p, &mut dice)).collect())
        })
        .collect();
    let (second, _) = execute(&program, inputs, &questions);
    for note in second.notes {
        let all = note.facts.into_iter().reduce(Expr::and);
        let fails = all.map_or(Expr::int(0), Expr::negated);
        let Some((program, e)) = with_check(&program, note.at, fails) else { continue };
        let mut steps = second.steps[..note.steps].to_vec();
        steps.push(PathStep::Edge(note.at.0, e));
        holds(&program, &Path { steps }, &mut counted);
    }
    counted
}

/// The procedure on top behind a step.
pub(crate) fn proc_behind(step: PathStep) -> ProcId {
    match step {
        PathStep::Edge(p, _) | PathStep::Leave(p, ..) => p,
        PathStep::Enter(_, _, callee) => callee,
    }
}

#[test]
fn the_path_of_a_run_is_not_refuted() {
    let counted = random_cases(150, law, Counted::add);
    eprintln!("paths of runs: {counted:#?}");
    assert!(counted.paths > 0);
}

/// A pointer below address zero is undefined (6.5.6p8): no run goes on from there, as the encoding has it.
#[test]
fn null_minus_one() {
    let text = r#"model LP64; entry start__;
check c0 reach in start__ "reached";
proc void start__(void) {
  local int *p;
  entry L0; exit L3;
  L0: e0: p = NULL; goto L1;
  L1: e1: p = p - 1; goto L2;
  L2: e2: check(c0, 0); goto L3;
  L3:
}
"#;
    let (_, ended) = execute(&parsed(text), 1, &[]);
    let undefined = interp::Reason::Undefined(interp::UndefinedBehaviour::PointerOverflow);
    assert!(matches!(ended.outcome, Outcome::Stuck { reason, .. } if reason == undefined), "{ended:?}");
}
