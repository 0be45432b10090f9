//! The refiners: predicates that refute a path.

pub(crate) mod clauses;
pub(crate) mod interpolants;
pub(crate) mod near_miss_inputs;
pub(crate) mod path_program;
pub(crate) mod scalars;
pub(crate) mod scope;
pub(crate) mod strongest_postcondition;
pub(crate) mod unfold;
pub(crate) mod weakest_precondition;
