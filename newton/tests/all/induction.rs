//! Induction over the iterations of loops, against executions: none fails a check that is said to hold, and the kept
//! candidates hold whenever an execution is at their place. Candidates are drawn at random, and from what held in
//! executions.

use crate::common::program::{Kind, condition, random};
use crate::common::random_cases;
use crate::runs::{drawn, unwritten};
use alias::{AliasMode, AliasOracle};
use bmc::k_induction::{Candidate, Proved, prove};
use bmc::{Bounds, can_bind};
use encoding::IntMode;
use interp::{self, Inputs, Outcome, State, UninitRead, Value};
use ir::loop_nesting::{heads, nesting};
use ir::{EdgeId, Expr, ForAll, HavocKind, LocId, Op, PathStep, ProcId, Program, Type, VarId};
use smt::Interrupt;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// Random inputs; the candidates that are false at some moment are noted.
struct Watched<'a> {
    program: &'a Program,
    dice: Dice,
    candidates: &'a [Candidate],
    refuted: BTreeSet<usize>,
    visited: BTreeSet<usize>,
}

impl Inputs for Watched<'_> {
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
        if let PathStep::Edge(p, e) = step
            && let Op::Check(_, condition) = &self.program.procs[p].edges[e].op
            && state.value(condition) == Ok(Value::Int(0))
        {
            // The execution ends before it reaches the location behind.
            return;
        }
        let place = (state.proc(), state.location());
        for (i, candidate) in self.candidates.iter().enumerate().filter(|(_, c)| c.at == place) {
            for condition in instances(self.program, state, candidate) {
                match state.value(&condition) {
                    Ok(Value::Int(0)) => _ = self.refuted.insert(i),
                    Ok(_) => _ = self.visited.insert(i),
                    Err(_) => {}
                }
            }
        }
    }
}

/// The condition, or what it says of each number of its range, as far as these are few.
fn instances(program: &Program, state: &mut State<'_, '_>, candidate: &Candidate) -> Vec<Expr> {
    let Some(ForAll { variable, from, to }) = &candidate.for_all else {
        return vec![candidate.condition.clone()];
    };
    let ty = &program.vars[*variable].ty;
    let int = ty.as_int().expect("an integer is bound");
    let mut end = |e: &Expr| match state.value(e) {
        Ok(Value::Int(n)) => Some(n.clamp(int.min(), int.max().saturating_add(1))),
        _ => None,
    };
    let (Some(from), Some(to)) = (end(from), end(to)) else { return vec![] };
    let with = |n: i128| {
        candidate.condition.clone().map(&mut |e| match &e {
            Expr::Load(lv) if lv.as_var() == Some(*variable) => Expr::Const(n, ty.clone()),
            _ => e,
        })
    };
    (from..to.min(from + 20)).map(with).collect()
}

/// The same about all numbers of a range for a variable of the condition, where there is one that can be bound.
fn about_a_range(
    program: &Program,
    oracle: &AliasOracle,
    (at, condition): ((ProcId, LocId), Expr),
    dice: &mut Dice,
) -> Candidate {
    let mut variables = vec![];
    condition.loads(&mut |lv| variables.extend(lv.as_var()));
    let own = |v: &VarId| program.vars[*v].proc() == Some(at.0);
    variables.retain(|v| own(v) && can_bind(program, oracle, *v));
    if condition.has(|e| matches!(e, Expr::Old(_))) || variables.is_empty() {
        return Candidate { at, for_all: None, condition };
    }
    let variable = variables[dice.below(variables.len())];
    let mut end = || match dice.below(3) {
        0 => program.read(variables[dice.below(variables.len())]),
        _ => Expr::int(dice.below(9) as i128 - 3),
    };
    let wide = |e: Expr| e.cast(Type::Int(ir::IntType { bits: 64, signed: true }));
    let (from, to) = (wide(end()), wide(end()));
    Candidate { at, for_all: Some(ForAll { variable, from, to }), condition }
}

/// The candidate in the integers of the mode.
fn in_mode(candidate: &Candidate, mode: IntMode) -> Candidate {
    let mut out = candidate.clone();
    if mode == IntMode::Math
        && let Some(ForAll { from, to, .. }) = &mut out.for_all
    {
        for end in [from, to] {
            *end = match end.clone() {
                Expr::Const(n, _) => Expr::Const(n, Type::Math),
                e => e.uncast().clone().cast(Type::Math),
            };
        }
    }
    out
}

/// An execution with inputs of a seed: how it ends, and what it refutes and meets of the candidates.
fn execute(
    program: &Program,
    seed: u64,
    candidates: &[Candidate],
) -> (Outcome, BTreeSet<usize>, BTreeSet<usize>) {
    let dice = Dice::new(seed);
    let mut watched =
        Watched { program, dice, candidates, refuted: BTreeSet::new(), visited: BTreeSet::new() };
    let limits = interp::Limits { steps: 400, ..interp::Limits::default() };
    let ended = interp::run(program, &mut watched, &limits, &AtomicBool::new(false));
    (ended.outcome, watched.refuted, watched.visited)
}

/// Heads of loops, and entries and exits of recursive procedures.
fn places(program: &Program, oracle: &AliasOracle) -> Vec<(ProcId, LocId)> {
    let mut out = vec![];
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let mut all = heads(&nesting(proc, 20).unwrap_or_default());
        if oracle.is_recursive(p) {
            all.extend([proc.entry, proc.exit]);
        }
        out.extend(all.into_iter().map(|l| (p, l)));
    }
    out
}

fn proved(
    program: &Program,
    oracle: &AliasOracle,
    mode: IntMode,
    k: usize,
    candidates: &[Candidate],
) -> Option<Proved> {
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let bounds = Bounds {
        mode,
        turns: 8,
        steps: 3_000,
        rlimit: 20_000_000,
        total: 20_000_000,
        stop: &stop,
        interrupt: &interrupt,
    };
    prove(program, oracle, &bounds, k, candidates, candidates.len()).0
}

/// What was tried, and what came of it.
#[derive(Default, Debug)]
struct Counted {
    programs: usize,
    gave_up: usize,
    candidates: usize,
    kept: usize,
    /// Those among them that are about ranges.
    ranges: usize,
    /// Checks that hold, and those that some execution fails.
    hold: usize,
    fail: usize,
    /// Visits to places with a candidate that was kept.
    visited: usize,
}

impl Counted {
    fn add(&mut self, other: Counted) {
        self.programs += other.programs;
        self.gave_up += other.gave_up;
        self.candidates += other.candidates;
        self.kept += other.kept;
        self.ranges += other.ranges;
        self.hold += other.hold;
        self.fail += other.fail;
        self.visited += other.visited;
    }
}

/// Executions of each program.
const RUNS: u64 = 12;

fn law(seed: u64) -> Counted {
    let mut counted = Counted::default();
    let mut dice = Dice::new(seed.wrapping_add(7).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let kind = if seed.is_multiple_of(3) { Kind::Pointers } else { Kind::Calls };
    let Some(program) = random(kind, &mut dice) else { return counted };
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let mut candidates = vec![];
    for at in places(&program, &oracle) {
        for _ in 0..10 {
            let drawn = condition(kind, &program, at.0, &mut dice);
            candidates.extend(drawn.map(|condition| match dice.below(2) {
                0 => Candidate { at, for_all: None, condition },
                _ => about_a_range(&program, &oracle, (at, condition), &mut dice),
            }));
        }
    }
    let first = dice.below(1 << 30) as u64;
    let runs = |candidates: &[Candidate]| -> Vec<_> {
        (0..RUNS).map(|n| execute(&program, first + n, candidates)).collect()
    };
    // Those that one execution refutes seldom tell anything: the others of them are what is interesting.
    if dice.below(3) > 0 {
        let (_, refuted, _) = execute(&program, first, &candidates);
        let is_left = |i: &usize| !refuted.contains(i);
        candidates = (0..candidates.len()).filter(is_left).map(|i| candidates[i].clone()).collect();
    }
    let used: BTreeSet<_> = program
        .edges()
        .filter_map(|(_, _, edge)| if let Op::Check(c, _) = edge.op { Some(c) } else { None })
        .collect();
    let runs = runs(&candidates);
    let math = encoding::integers::choose(&program, Some(IntMode::Math)).is_ok();
    for mode in [IntMode::Math, IntMode::Bits].into_iter().skip(usize::from(!math)) {
        for k in 1..=3 {
            counted.programs += 1;
            counted.candidates += candidates.len();
            let candidates: Vec<Candidate> = candidates.iter().map(|c| in_mode(c, mode)).collect();
            let Some(proved) = proved(&program, &oracle, mode, k, &candidates) else {
                counted.gave_up += 1;
                continue;
            };
            counted.kept += proved.kept.len();
            counted.ranges += proved.kept.iter().filter(|i| candidates[**i].for_all.is_some()).count();
            counted.hold += used.intersection(&proved.checks).count();
            let text = || ir::print::program(&program, None);
            for (outcome, refuted, visited) in &runs {
                if let Outcome::CheckFailed(check) = outcome {
                    counted.fail += 1;
                    assert!(
                        !proved.checks.contains(check),
                        "{mode:?}, {k} turns: an execution fails {check:?} of\n{}",
                        text()
                    );
                }
                for i in &proved.kept {
                    counted.visited += usize::from(visited.contains(i));
                    assert!(
                        !refuted.contains(i),
                        "{mode:?}, {k} turns: {} does not hold at {:?} of\n{}",
                        ir::print::expr(&program, &candidates[*i].condition),
                        candidates[*i].at,
                        text()
                    );
                }
            }
        }
    }
    counted
}

#[test]
fn executions_keep_what_is_proved() {
    let counted = random_cases(40, law, Counted::add);
    eprintln!("induction: {counted:#?}");
    assert!(
        counted.hold > 0 && counted.fail > 0 && counted.kept > 0 && counted.ranges > 0 && counted.visited > 0
    );
    assert!(2 * counted.gave_up < counted.programs);
}
