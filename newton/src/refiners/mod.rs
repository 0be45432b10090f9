//! The refiners: predicates that refute a path.

pub mod clauses;
pub mod interpolants;
pub mod near_miss_inputs;
pub mod path_program;
pub mod scalars;
pub mod scope;
pub mod strongest_postcondition;
pub mod unfold;
pub mod weakest_precondition;
