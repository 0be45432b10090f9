//! Predicates that no path has asked for.

use cmm::PathStep;
use pred::Predicate;

/// A predicate that the program suggests, once paths have asked for others like it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggested {
    /// The predicate.
    pub predicate: Predicate,
    /// The step that suggests it.
    pub step: PathStep,
}
