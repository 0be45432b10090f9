//! Predicates suggested by the structure of the program, before a path needs them.

use crate::generalise::callees::Callees;
use crate::generalise::isomorphic::Isomorphic;
use crate::generalise::states::StateVariables;
use alias::AliasOracle;
use encoding::IntMode;
use ir::{PathStep, Program};
use predicates::{Precision, Predicate};

/// A predicate that the program suggests, once paths have asked for others like it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggested {
    /// The predicate.
    pub predicate: Predicate,
    /// The step that suggests it.
    pub step: PathStep,
}

/// Why predicates are suggested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suggestion {
    /// They are values of the program's state variables ([`states`](crate::generalise::states)).
    States,
    /// A caller has them, and another of its callees ([`callees`](crate::generalise::callees)).
    Callees,
    /// Procedures that are isomorphic have them ([`isomorphic`](crate::generalise::isomorphic)).
    Isomorphic,
}

impl Suggestion {
    /// All, in the order in which they are tried: the suggestions of one are known to the next.
    pub const ALL: [Suggestion; 3] = [Suggestion::States, Suggestion::Callees, Suggestion::Isomorphic];

    /// The name that stands in the place of a refiner's.
    pub fn name(self) -> &'static str {
        match self {
            Suggestion::States => "states",
            Suggestion::Callees => "callees",
            Suggestion::Isomorphic => "isomorphic",
        }
    }
}

/// What a program suggests.
pub struct Suggestions {
    states: StateVariables,
    callees: Callees,
    isomorphic: Isomorphic,
}

impl Suggestions {
    /// Looks at the program.
    pub fn new(program: &Program, mode: IntMode) -> Suggestions {
        Suggestions {
            states: StateVariables::new(program, mode),
            callees: Callees::new(program),
            isomorphic: Isomorphic::new(program),
        }
    }

    /// The predicates that the precision does not have and that are suggested for this reason.
    pub fn missing(
        &self,
        why: Suggestion,
        program: &Program,
        oracle: &AliasOracle,
        mode: IntMode,
        precision: &Precision,
    ) -> Vec<Suggested> {
        match why {
            Suggestion::States => self.states.missing(program, mode, precision),
            Suggestion::Callees => self.callees.missing(program, oracle, mode, precision),
            Suggestion::Isomorphic => self.isomorphic.missing(program, mode, precision),
        }
    }
}
