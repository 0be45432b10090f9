//! Concurrent programs state by state: for threads that do not recurse, with a bound on context switches or without one.
//!
//! A state is the values of the shared variables and, for each thread, where it is with its own ones. Between two states
//! a thread runs as far as nothing that it does has to do with others (`runs`); what it can do from a point of its own is
//! found once for each values of the shared variables (`memo`). A variable whose value nobody asked for yet has
//! either (`bits`); when it is asked for, there are two states. States are kept in rows (`store`), with the ones they
//! come from, in the order of context switches, so that the first way to a goal has as few as possible, or depth-first,
//! which finds deep goals sooner (`search`).
//!
//! This is the only algorithm here that is no formula: on such programs it follows tens of millions of states where
//! diagrams of them grow too large.

mod bits;
mod machine;
mod memo;
mod runs;
mod search;
mod steps;
mod store;
mod table;
mod values;

pub use search::{Limits, Outcome, Search, Stats};

/// Why a system is not explored state by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// More than 64 variables are shared, or are in scope in a procedure beside them.
    Variables,
    /// A thread recurses.
    Recursion,
    /// A call has a `constrain`, which speaks of the state before it.
    Constrain,
    /// Statements speak of other threads' variables (`x$`).
    Others,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unsupported::Variables => "more than 64 variables are shared, or in scope beside those",
            Unsupported::Recursion => "a thread recurses",
            Unsupported::Constrain => "a call has a `constrain`",
            Unsupported::Others => "it speaks of other threads' variables (`x$`)",
        })
    }
}
