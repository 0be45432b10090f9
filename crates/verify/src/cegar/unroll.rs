//! Bounded model checking beside the abstraction \[BCCZ99\]: the more prover calls the abstraction has made, the
//! further the program is unrolled, and once more before the loop ends without an answer. Loops with few iterations
//! need no invariants then, and errors behind many iterations no predicates.
//!
//! Invariant: the effort is counted, and grows with that of the abstraction.

use crate::cegar::event::{Event, Stage};
use crate::cegar::{Conclusion, Evidence, Failure, Loop, Proof, Reason, coverage};
use crate::plan::Effort;
use bmc::{Bounds, Covered, Unrolled, guess, is_product, unroll};
use encoding::Inexact;
use executions::Diverged;
use ir::visit;
use ir::{BinOp, EdgeId, Expr, Path, PathStep, ProcId, Program, Type, UnOp};
use newton::Outcome;
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

/// Divides the resource limit when executions may exceed the bound, so the answer is not final.
const PART: u64 = 2;

/// Divides the edge budget of each trial while searching for a sufficient bound.
const FURTHER: usize = 8;

/// The largest factor on the effort, which grows with each attempt that was given up.
const MOST_FACTOR: u64 = 32;

/// The most edges and resource units.
const MOST_STEPS: u64 = 200_000;
const MOST_RLIMIT: u64 = 4 * smt::RLIMIT;

/// At most this many paths are searched for by a guess, one after the other, where the interpreter does not repeat one;
/// and the factor on the iterations.
const GUESSES: usize = 8;
const MORE: usize = 16;

/// The bounds on iterations of loops, one after the other.
const TURNS: [usize; 6] = [2, 8, 32, 128, 512, 2048];

/// How far the program was unrolled.
pub(crate) struct Progress {
    /// The next of [`TURNS`]; none when there is nothing more to try.
    next: Option<usize>,
    /// Factor on the effort: an attempt that was given up is repeated with more.
    factor: u64,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { next: Some(0), factor: 1 }
    }
}

impl Progress {
    /// Whether an attempt was given up.
    pub(crate) fn is_given_up(&self) -> bool {
        self.factor > 1
    }
}

/// Why the interpreter does not repeat a path.
#[derive(Default)]
struct Missed {
    /// It reads memory that is accessed at several types.
    several_types: bool,
    /// The edge at which its execution is undefined.
    undefined: Option<(ProcId, EdgeId)>,
}

/// How the program is unrolled.
#[derive(Clone, Copy)]
enum How<'h> {
    /// With this effort, if any, where executions go beyond the bounds.
    Exactly { beyond: Option<u64> },
    /// As in runs of the interpreter, and without these edges.
    Guess(&'h BTreeSet<(ProcId, EdgeId)>),
}

impl<'a> Loop<'a> {
    /// Unrolls the program where the loop has ended with a path that the interpreter does not repeat, with as many
    /// iterations as that one takes: others may be like it.
    pub(crate) fn unroll_suspected(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        let last = self.known.history.attempts().next_back();
        let turns = last.and_then(|attempt| attempt.turns.values().max().copied());
        let Some(turns) = turns else { return Continue(()) };
        let bounds = self.bounds(turns, effort);
        match self.unroll_once(&bounds, How::Exactly { beyond: Some(bounds.rlimit / PART) }) {
            Some(Unrolled::Safe(covered)) => Break(self.nothing_reached(self.covered(covered))),
            Some(Unrolled::Fails(path)) => self.repeats(&path, &bounds),
            _ => Continue(()),
        }
    }

    /// Unrolls the program further and further. Where executions go beyond the bound tried first and the question about
    /// these is too hard, a sufficient bound is searched for, and the bounds in between are skipped.
    pub(crate) fn unroll_further(&mut self, effort: Effort) -> ControlFlow<Conclusion> {
        let effort = effort.times(self.unrolling.factor);
        let mut skipped = 0;
        while let Some(next) = self.unrolling.next {
            let Some(turns) = TURNS.get(next + skipped) else { return self.give_up_unrolling() };
            let mut bounds = self.bounds(*turns, effort);
            bounds.steps /= if skipped == 0 { 1 } else { FURTHER };
            let beyond = (skipped == 0).then_some(bounds.rlimit / PART);
            let Some(answer) = self.unroll_once(&bounds, How::Exactly { beyond }) else { break };
            match answer {
                Unrolled::Safe(covered) => return Break(self.nothing_reached(self.covered(covered))),
                Unrolled::Beyond => self.unrolling.next = Some(next + 1).filter(|next| *next < TURNS.len()),
                Unrolled::Undecided => skipped += 1,
                Unrolled::Hard { ends: true } => {
                    self.unrolling.next = Some(next + skipped);
                    return self.give_up_unrolling();
                }
                // Further turns may not suffice either: the next attempt has no more than the loop has cost till then.
                Unrolled::Hard { ends: false } => return Continue(()),
                Unrolled::GaveUp => return self.give_up_unrolling(),
                Unrolled::Fails(path) => {
                    self.unrolling.next = None;
                    self.repeats(&path, &bounds)?;
                }
            }
        }
        Continue(())
    }

    /// Bounds with this many iterations of loops, and the edges and resource units for an effort, up to their maximums.
    fn bounds(&self, turns: usize, effort: Effort) -> Bounds<'a> {
        Bounds {
            mode: bmc::mode(self.cx.task.program, self.cx.task.mode),
            turns,
            steps: effort.edges().min(MOST_STEPS) as usize,
            rlimit: effort.units().min(MOST_RLIMIT),
            total: MOST_RLIMIT,
            stop: self.cx.stop.flag,
            interrupt: self.cx.stop.interrupt,
        }
    }

    /// Unrolls the program; nothing when it was stopped.
    fn unroll_once(&mut self, bounds: &Bounds<'_>, how: How<'_>) -> Option<Unrolled> {
        self.begins(Stage::Unrolling);
        let task = &self.cx.task;
        let answer = match how {
            How::Exactly { beyond } => unroll(task.program, task.oracle, bounds, beyond),
            How::Guess(avoid) => guess(task.program, task.oracle, bounds, avoid),
        };
        if self.cx.stop.is_set() {
            return None;
        }
        let guess = matches!(how, How::Guess(_));
        self.observer.event(&Event::Unrolled { turns: bounds.turns, guess, answer: &answer });
        Some(answer)
    }

    /// Decides a path that unrolling has found. Where the interpreter does not repeat it, others are looked for by the guess that
    /// memory is as in its executions, with as many turns and some more, and past the places where these were undefined.
    fn repeats(&mut self, path: &Path, bounds: &Bounds<'_>) -> ControlFlow<Conclusion> {
        let mut turns = bounds.turns;
        let mut avoid = BTreeSet::new();
        let mut missed = self.repeats_itself(path, bounds)?;
        for round in 0..GUESSES {
            let avoids = missed.undefined.is_some_and(|edge| avoid.insert(edge));
            if !(avoids || round == 0 && missed.several_types) {
                break;
            }
            let path = loop {
                match self.unroll_once(&Bounds { turns, ..*bounds }, How::Guess(&avoid)) {
                    Some(Unrolled::Fails(path)) => break path,
                    Some(Unrolled::Beyond) => {}
                    _ => return Continue(()),
                }
                let further = TURNS.into_iter().find(|further| turns < *further);
                let Some(further) = further.filter(|further| *further <= MORE * bounds.turns) else {
                    return Continue(());
                };
                turns = further;
            };
            missed = self.repeats_itself(&path, bounds)?;
        }
        Continue(())
    }

    /// A path that the interpreter does not repeat shows nothing: it depends on an over-approximation, or on
    /// undefined behaviour.
    fn repeats_itself(&mut self, path: &Path, bounds: &Bounds<'_>) -> ControlFlow<Conclusion, Missed> {
        let Outcome::Feasible { inputs, inexact } = self.analyze(path, bounds.mode) else {
            return Continue(Missed::default());
        };
        let several_types = inexact.contains(&Inexact::SeveralTypes);
        match self.confirm(path, &inputs, &inexact) {
            Conclusion::Unsafe(witness) => Break(Conclusion::Unsafe(witness)),
            Conclusion::Unknown(Failure { reason: Reason::NotReplayed { end, followed, .. }, .. }) => {
                let is_undefined = matches!(end, Some(Diverged::Stuck(interp::Reason::Undefined(_))));
                let undefined = match path.steps.get(followed) {
                    Some(PathStep::Edge(p, e)) if is_undefined => Some((*p, *e)),
                    _ => None,
                };
                Continue(Missed { several_types, undefined })
            }
            _ => Continue(Missed { several_types, undefined: None }),
        }
    }

    fn give_up_unrolling(&mut self) -> ControlFlow<Conclusion> {
        self.unrolling.factor = (2 * self.unrolling.factor).min(MOST_FACTOR);
        Continue(())
    }

    fn covered(&self, covered: Covered) -> Proof {
        Proof {
            unreached: coverage::not_executed(&self.cx.task, &covered),
            reached: coverage::covered(self.cx.task.program, &covered),
            invariants: vec![],
            facts: Arc::default(),
            complete: true,
            evidence: Evidence::Unrolled(covered),
            iterations: self.known.iterations,
            predicates: self.known.precision.len(),
        }
    }
}

/// Whether the program multiplies or divides by a non-constant, computes with floating-point numbers, or puts numbers
/// together from bytes: predicates that the paths suggest seldom capture such values, and the prover takes long.
pub(crate) fn is_hard_for_predicates(program: &Program) -> bool {
    let mut found = false;
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |e| match e {
            Expr::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem, ..) => found |= is_product(e),
            Expr::Unary(UnOp::Float(_), ..) => found = true,
            Expr::Unary(.., Type::Float(_)) | Expr::Binary(.., Type::Float(_)) => found = true,
            Expr::Cast(_, Type::Float(_)) => found = true,
            Expr::Binary(BinOp::BitOr, l, r, _) => {
                let is_byte = |e: &Expr| matches!(e.uncast(), Expr::Load(lv) if lv.ty.as_int().is_some_and(|t| t.bits == 8));
                let shifted = matches!(&**r, Expr::Binary(BinOp::Shl, byte, ..) if is_byte(byte));
                found |= shifted && (is_byte(l) || matches!(**l, Expr::Binary(BinOp::BitOr, ..)));
            }
            _ => {}
        });
    }
    found
}
