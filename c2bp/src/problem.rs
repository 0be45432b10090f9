//! Questions to the prover in canonical form: which boolean functions of these predicates imply these goals.
//!
//! A problem is closed (it names no variable of the boolean program and no statement), so that equal problems
//! of different statements and iterations are answered once.

use crate::formula::Cover;
use smt::Term;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Problem {
    /// Facts that may be assumed; sorted, without repetition.
    pub(crate) hypotheses: Vec<Term>,
    /// The predicates that cubes are made of.
    pub(crate) predicates: Vec<Term>,
    /// What the cubes shall imply.
    pub(crate) goals: Vec<Goal>,
    /// Longest cube.
    pub(crate) max_cube: usize,
}

/// A condition with the sides that are wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Goal {
    /// The condition. `false` asks for the cubes that contradict the hypotheses.
    pub(crate) term: Term,
    /// Cubes that imply it are wanted.
    pub(crate) positive: bool,
    /// Cubes that imply its negation are wanted.
    pub(crate) negative: bool,
}

/// The covers of one goal; a side that was not wanted is empty and incomplete.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sides {
    /// Of the condition.
    pub(crate) positive: Cover,
    /// Of its negation.
    pub(crate) negative: Cover,
}

/// Answers to the goals of a problem, and what they cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Answers {
    /// In the order of the goals.
    pub(crate) sides: Vec<Sides>,
    /// Calls of the prover.
    pub(crate) calls: u64,
    /// Cubes looked at.
    pub(crate) cubes: u64,
}
