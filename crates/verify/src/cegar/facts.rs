//! Conditions that were shown to hold at places of the program, those that were not, and their sources.
//!
//! Invariant: a fact holds in every execution at its place as long as no check has failed, whoever suggested it.

use bmc::counterexample as broken;
use bmc::k_induction::Candidate;
use ir::{Expr, ForAll, LocId, ProcId};

/// Where facts come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// What executions have in common.
    Observed,
    /// Bounds of integers.
    Computed,
    /// The program's own conditions.
    Conditions,
    /// A solution of the program's Horn clauses.
    Solved,
    /// Whoever runs the loop has given it.
    Given,
    /// What the abstraction reaches, with the predicates that paths gave.
    Abstraction,
}

impl Source {
    /// Those that give candidates for invariants, which induction decides; each can be left out.
    pub const CANDIDATES: [Source; 4] =
        [Source::Observed, Source::Computed, Source::Conditions, Source::Solved];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Source::Observed => "observed",
            Source::Computed => "computed",
            Source::Conditions => "conditions",
            Source::Solved => "solved",
            Source::Given => "given",
            Source::Abstraction => "abstraction",
        }
    }

    /// What it is, for a list of options.
    pub fn description(self) -> &'static str {
        match self {
            Source::Observed => "Candidates: what executions have in common at the heads of loops",
            Source::Computed => "Candidates: bounds of integers and of their differences",
            Source::Solved => "Candidates: a solution of the program's Horn clauses, by Spacer",
            Source::Conditions => "Candidates: the conditions of the program's branches and checks",
            Source::Given => "What was given",
            Source::Abstraction => "What the abstraction reaches",
        }
    }
}

/// A condition about a place, and where it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The head of a loop, or the entry or exit of a procedure.
    pub at: (ProcId, LocId),
    /// The range of numbers for which the condition holds, if it is about such.
    pub for_all: Option<ForAll>,
    /// The condition.
    pub condition: Expr,
    /// Where it came from.
    pub source: Source,
}

impl Fact {
    /// A candidate as a fact.
    pub(crate) fn of(candidate: &Candidate, source: Source) -> Fact {
        let Candidate { at, for_all, condition } = candidate.clone();
        Fact { at, for_all, condition, source }
    }

    /// Whether it says the same, whoever suggested it.
    pub fn is_same(&self, other: &Fact) -> bool {
        (self.at, &self.for_all, &self.condition) == (other.at, &other.for_all, &other.condition)
    }
}

/// A candidate that was not shown.
#[derive(Clone, PartialEq, Debug)]
pub struct NotShown {
    /// The candidate.
    pub fact: Fact,
    /// Why.
    pub why: WhyNot,
}

/// Why a candidate was not shown.
#[derive(Clone, PartialEq, Debug)]
pub enum WhyNot {
    /// The induction says so.
    Broken(broken::Why),
    /// The integers of the mode cannot express it.
    NotExpressible,
    /// The induction was too much work.
    TooMuchWork,
    /// Something that is not modelled may be reached, after which nothing is known.
    NotModelled,
    /// Induction has not been tried.
    NotTried,
}
