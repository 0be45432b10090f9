//! The schedule of several checks of one program: which of them the next run of the loop decides, how long it may
//! take, and when all are decided. [`Schedule::next`] takes note of the end of a run and says what is next; the
//! caller carries it out. No program, prover or output is known here.
//!
//! Each verdict is about its check failing first: an execution ends at the first check that fails. So a check that is
//! decided, or that has to wait, is assumed to hold while others are decided, and their verdicts are independent of its
//! own. Only checks for unmodelled behaviour can never be assumed to hold.

use crate::cegar::{Conclusion, Failure, Proof, Reason, SwitchReason, Unreached};
use executions::Witness;
use ir::CheckId;
use std::collections::{BTreeMap, BTreeSet};

/// Iterations that a check gets before it has to wait for the others, at first.
const PATIENCE: usize = 6;

/// How many times as many it gets each time its turn comes again.
const MORE_PATIENCE: usize = 3;

/// Most iterations of the loop about a program of which the only execution is known.
const SINGLE_EXECUTION: usize = 20;

/// Most checks that are left out, one after the other, to look for errors of those that are left.
const MOST_LEFT_OUT: usize = 12;

/// Most iterations of a run that can only find errors, as some check is left out, or an execution has undefined behaviour.
const ITERATIONS_FOR_ERRORS: usize = 40;

/// What is known of a check.
pub enum Decision {
    /// No execution fails it first.
    Safe,
    /// No execution reaches it.
    Unreachable(Unreached),
    /// This execution fails it.
    Unsafe(Box<Witness>),
    /// Not decided.
    Unknown(Box<Failure>),
}

impl Decision {
    /// Whether no execution fails the check.
    pub fn holds(&self) -> bool {
        matches!(self, Decision::Safe | Decision::Unreachable(_))
    }
}

/// All checks that are asked for, and the decisions so far.
pub struct Schedule {
    asked: Vec<CheckId>,
    /// Checks that stand for what is not modelled.
    unmodelled: BTreeSet<CheckId>,
    all: bool,
    decided: BTreeMap<CheckId, Decision>,
    /// Those that have to wait until the others are decided.
    waiting: BTreeSet<CheckId>,
    /// Those that hold without the loop, until it is known whether executions reach them.
    held: BTreeSet<CheckId>,
    patience: usize,
    proved: bool,
    concrete: Concrete,
    /// Why the first check was left out, when not all are to be decided.
    first: Option<Failure>,
    /// How many were.
    left_out: usize,
    /// A check that is not decided is left out to look for errors of others.
    pub looks_elsewhere: bool,
}

/// What concrete executions have shown besides errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Concrete {
    /// Some execution has undefined behaviour, so that proofs about defined executions do not cover the program.
    pub undefined: bool,
    /// The program has one execution, which fails no check.
    pub single: bool,
}

/// What is done after a run of the loop. Checks named here are assumed to hold, or asked for, from then on.
pub enum Next {
    /// Every execution that reaches something that is not modelled is left out: this check was, in a run of the program
    /// (`reached`), or without an answer.
    LeaveOutUnmodelled {
        /// The check that stands for it.
        check: CheckId,
        /// Whether an execution has reached it.
        reached: bool,
    },
    /// Executions that fail this check are left out, since it cannot be decided for this reason.
    LeaveOut(CheckId, Reason),
    /// Integers are bit-vectors from now on.
    Bits(SwitchReason),
    /// The checks that are not assumed to hold do hold.
    Proved {
        /// Why.
        proof: Box<Proof>,
        /// Checks that had to wait, and are asked for again.
        ask: Vec<CheckId>,
    },
    /// The check has to wait for the others.
    Wait {
        /// The check, which is assumed to hold.
        check: CheckId,
        /// Checks that are asked for again, since all had to wait.
        ask: Vec<CheckId>,
    },
    /// An execution fails the check, which is assumed to hold from now on.
    Failed(CheckId),
    /// The check is not decided for this reason, and is assumed to hold from now on.
    NotDecided(CheckId, Reason),
    /// Nothing more is decided.
    Stop,
    /// The run ends with this answer.
    Answer(Box<Conclusion>),
    /// The run ends without an answer, since the program has executions that no proof covers.
    Undefined {
        /// There is a proof for all other executions.
        others: bool,
    },
    /// The run ends with the answer by the only execution, since there is no proof for this reason.
    SingleExecution(Reason),
}

impl Schedule {
    /// These checks are asked for: all of them, or whether one of them fails.
    pub fn new(asked: Vec<CheckId>, unmodelled: BTreeSet<CheckId>, all: bool) -> Schedule {
        Schedule {
            asked,
            unmodelled,
            all,
            decided: BTreeMap::new(),
            waiting: BTreeSet::new(),
            held: BTreeSet::new(),
            patience: PATIENCE,
            proved: false,
            concrete: Concrete::default(),
            first: None,
            left_out: 0,
            looks_elsewhere: true,
        }
    }

    /// The check holds, as was found out without the loop.
    pub fn hold(&mut self, check: CheckId) {
        self.decided.entry(check).or_insert(Decision::Safe);
        self.waiting.remove(&check);
        self.held.insert(check);
    }

    /// Takes note of what concrete executions have shown.
    pub fn note(&mut self, concrete: Concrete) {
        self.concrete = concrete;
    }

    /// Whether all are to be decided, not only whether one fails.
    pub fn all(&self) -> bool {
        self.all
    }

    /// The checks that are asked for, in their order, with their decisions.
    pub fn list(&self) -> impl Iterator<Item = (CheckId, Option<&Decision>)> {
        self.asked.iter().map(|c| (*c, self.decided.get(c)))
    }

    /// Whether nothing is left to decide; where no check is asked for, whether it is proved that nothing is reached that is not
    /// modelled.
    pub fn is_done(&self) -> bool {
        match self.asked[..] {
            [] => self.proved,
            _ => self.open().next().is_none(),
        }
    }

    /// Whether there is an answer already, so that a run may only find a better one.
    pub fn is_answered(&self) -> bool {
        self.concrete.single
    }

    /// How many iterations a check gets before the others continue (`None` when there are no others), and how many a
    /// run gets in all, at most `iterations`.
    pub fn bounds(&self, iterations: usize) -> (Option<usize>, usize) {
        let others = self.all && self.open().count() > 1;
        let most = match self.concrete.single {
            true => SINGLE_EXECUTION,
            false if self.first.is_some() || self.concrete.undefined => ITERATIONS_FOR_ERRORS,
            false => usize::MAX,
        };
        (others.then_some(self.patience), iterations.min(most))
    }

    /// What is done after a run that has ended so; `stopped`: no other will follow.
    pub fn next(&mut self, conclusion: Conclusion, stopped: bool) -> Next {
        let first_only = !self.all;
        match conclusion {
            Conclusion::Unsafe(witness) if self.unmodelled.contains(&witness.check) => {
                Next::LeaveOutUnmodelled { check: witness.check, reached: true }
            }
            Conclusion::NoModel(failure) if first_only => match failure.check {
                Some(check) => Next::LeaveOut(check, failure.reason),
                None => Next::Answer(Box::new(Conclusion::Unknown(failure))),
            },
            Conclusion::SwitchToBits(why) => Next::Bits(why),
            Conclusion::Safe(_) if self.concrete.undefined => Next::Undefined { others: true },
            Conclusion::Safe(proof) => Next::Proved { ask: self.prove(&proof), proof: Box::new(proof) },
            Conclusion::Unknown(failure) if first_only && self.concrete.single => {
                Next::SingleExecution(failure.reason)
            }
            Conclusion::Unknown(_) if first_only && self.concrete.undefined => {
                Next::Undefined { others: false }
            }
            Conclusion::Unknown(failure) if first_only => self.look_elsewhere(failure, stopped),
            conclusion if first_only || self.asked.is_empty() => Next::Answer(Box::new(conclusion)),
            Conclusion::Holds(_) => unreachable!("what holds is no question any more"),
            Conclusion::Deferred(check) => Next::Wait { check, ask: self.wait(check) },
            Conclusion::Unsafe(witness) => self.fail(witness),
            Conclusion::Unknown(failure) | Conclusion::NoModel(failure) => {
                match failure.check.filter(|_| !stopped) {
                    None => self.stop(&failure),
                    Some(check) if self.unmodelled.contains(&check) => {
                        Next::LeaveOutUnmodelled { check, reached: false }
                    }
                    Some(check) => self.give_up(check, failure),
                }
            }
        }
    }

    /// Leaves out a check that is not decided, which is the answer unless another one fails, and continues with the
    /// others.
    fn look_elsewhere(&mut self, failure: Failure, stopped: bool) -> Next {
        let reason = failure.reason.clone();
        let check = failure.check.filter(|c| reason.is_about_one_check() && self.asked.contains(c));
        let others =
            self.looks_elsewhere && self.open().count() > self.left_out + 1 && self.left_out < MOST_LEFT_OUT;
        match check.filter(|_| others && !stopped) {
            Some(check) => {
                self.left_out += 1;
                self.first.get_or_insert(failure);
                Next::LeaveOut(check, reason)
            }
            None => Next::Answer(Box::new(Conclusion::Unknown(self.first.clone().unwrap_or(failure)))),
        }
    }

    /// Why the first check was left out, when not all are to be decided: the answer unless another one fails.
    pub fn undecided(&self) -> Option<&Failure> {
        self.first.as_ref()
    }

    fn open(&self) -> impl Iterator<Item = CheckId> {
        self.asked.iter().copied().filter(|c| !self.decided.contains_key(c))
    }

    fn fail(&mut self, witness: Box<Witness>) -> Next {
        let check = witness.check;
        let before = self.decided.insert(check, Decision::Unsafe(witness));
        let contradicts = matches!(before, Some(Decision::Safe | Decision::Unreachable(_)));
        assert!(!contradicts, "no execution fails a check that was proved");
        Next::Failed(check)
    }

    fn give_up(&mut self, check: CheckId, failure: Failure) -> Next {
        self.waiting.remove(&check);
        let reason = failure.reason.clone();
        self.decided.entry(check).or_insert(Decision::Unknown(Box::new(failure)));
        Next::NotDecided(check, reason)
    }

    /// The checks that are asked for again, where all had to wait.
    fn wait(&mut self, check: CheckId) -> Vec<CheckId> {
        self.waiting.insert(check);
        if self.open().all(|c| self.waiting.contains(&c)) { self.ask_again() } else { vec![] }
    }

    /// None of the open checks fails that do not wait; those that do are asked for again.
    fn prove(&mut self, proof: &Proof) -> Vec<CheckId> {
        let proved: Vec<CheckId> = self.open().filter(|c| !self.waiting.contains(c)).collect();
        for check in proved.into_iter().chain(std::mem::take(&mut self.held)) {
            let unreached = proof.unreached.get(&check);
            self.decided.insert(check, unreached.map_or(Decision::Safe, |why| Decision::Unreachable(*why)));
        }
        self.proved = true;
        self.ask_again()
    }

    /// The checks that had to wait have more time now.
    fn ask_again(&mut self) -> Vec<CheckId> {
        self.patience = self.patience.saturating_mul(MORE_PATIENCE);
        std::mem::take(&mut self.waiting).into_iter().collect()
    }

    /// What is not decided stays so, for this reason.
    fn stop(&mut self, failure: &Failure) -> Next {
        let open: Vec<CheckId> = self.open().collect();
        for check in open {
            self.decided.insert(check, Decision::Unknown(Box::new(failure.clone())));
        }
        Next::Stop
    }
}

#[cfg(test)]
mod tests;
