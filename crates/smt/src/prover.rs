//! The interface of a prover: one incremental solver with a stack of assertions.

use std::fmt;

use crate::model::Model;
use crate::term::Term;

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The assertions and assumptions have a model; see [`Prover::model`].
    Sat,
    /// They contradict each other; see [`Prover::core`].
    Unsat,
    /// The prover gave up, for this reason. Says nothing about the formula.
    Unknown(String),
}

/// The reason of [`Answer::Unknown`] after [`crate::Interrupt::interrupt_all`].
pub const INTERRUPTED: &str = "interrupted";

/// The reason of [`Answer::Unknown`] when the limit of [`crate::Config::rlimit`] was reached.
pub const RESOURCE_LIMIT: &str = "resource limit";

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Sat => f.write_str("sat"),
            Answer::Unsat => f.write_str("unsat"),
            Answer::Unknown(reason) => write!(f, "unknown ({reason})"),
        }
    }
}

/// An incremental solver. Answers, models and cores are a function of the calls made so far on
/// this value, not of other provers, threads or the clock (interruption aside).
pub trait Prover {
    /// Opens a level of the assertion stack.
    fn push(&mut self);

    /// Closes the level opened last and forgets the assertions made in it.
    ///
    /// # Panics
    /// If no level is open.
    fn pop(&mut self);

    /// Adds a formula to the current level.
    ///
    /// # Panics
    /// If the term is not a formula.
    fn assert(&mut self, fact: &Term);

    /// Whether the assertions and these formulas together have a model. Constants and their
    /// negations are the cheapest assumptions; other formulas are given a name on their first use
    /// in a level, which then stays until the level is closed.
    fn check(&mut self, assumptions: &[Term]) -> Answer;

    /// A model, if the last call was a check and its answer [`Answer::Sat`].
    fn model(&mut self) -> Option<Model>;

    /// Indices, ascending, of assumptions that contradict the assertions already without the
    /// others; not always the fewest. Empty unless the last call was a check whose answer was
    /// [`Answer::Unsat`].
    fn core(&mut self) -> Vec<usize>;

    /// Whether the assertions imply `goal`; an unknown answer counts as "not proved".
    fn entails(&mut self, goal: &Term) -> bool {
        goal.as_bool() == Some(true) || self.check(&[goal.not()]) == Answer::Unsat
    }
}

/// A level that is closed when this value goes away; it is used like the prover itself.
pub struct Scope<'a, P: Prover + ?Sized> {
    prover: &'a mut P,
}

impl<'a, P: Prover + ?Sized> Scope<'a, P> {
    /// Opens a level.
    pub fn open(prover: &'a mut P) -> Scope<'a, P> {
        prover.push();
        Scope { prover }
    }
}

impl<P: Prover + ?Sized> std::ops::Deref for Scope<'_, P> {
    type Target = P;

    fn deref(&self) -> &P {
        self.prover
    }
}

impl<P: Prover + ?Sized> std::ops::DerefMut for Scope<'_, P> {
    fn deref_mut(&mut self) -> &mut P {
        self.prover
    }
}

impl<P: Prover + ?Sized> Drop for Scope<'_, P> {
    fn drop(&mut self) {
        self.prover.pop();
    }
}

/// Drops assumptions from a core, the earliest first, as long as the rest still contradicts itself. `core` holds
/// positions in `assumptions`, and so does the answer, in increasing order. The last one stays: what is asserted is taken to have
/// a model, which can cost much to find.
pub fn shrink_core(prover: &mut dyn Prover, assumptions: &[Term], mut core: Vec<usize>) -> Vec<usize> {
    core.sort_unstable();
    let mut i = 0;
    while core.len() > 1 && i < core.len() {
        let mut rest = core.clone();
        rest.remove(i);
        let terms: Vec<Term> = rest.iter().map(|k| assumptions[*k].clone()).collect();
        if prover.check(&terms) == Answer::Unsat {
            core = prover.core().into_iter().map(|k| rest[k]).collect();
            core.sort_unstable();
        // What stood before place `i` was needed with more formulas about, so it is in this core too.
        } else {
            i += 1;
        }
    }
    core
}
