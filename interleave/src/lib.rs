//! Concurrent boolean programs, interleaving by interleaving: a search of their states one by one ([`Search`]), for
//! threads that do not recurse, with a bound on context switches \[QRe05\] or without one.
//!
//! A state is the values of the shared variables and, for each thread, where it is with its own ones. Between two
//! states a thread runs as far as nothing that it does has to do with others: a transaction \[Lip75, QRR04\], which
//! begins with the one step that others can tell of (`runs`). What a thread can do from a point of its own is found
//! once for each values of the shared variables (`memo`). A variable whose value nobody asked for yet has either
//! (`bits`); when it is asked for, there are two states. Visited states are kept (`store`), with the ones they come
//! from, in the order of context switches, so that the first way to a goal has as few as possible, or depth-first,
//! which finds deep goals sooner (`search`).
//!
//! The crate must not know C, a prover, formulae or decision diagrams. On such programs the search follows tens of
//! millions of states where diagrams of them grow too large.
//!
//! ```
//! use bp::Dialect;
//! use check::{Answer, Budget, Checker, Execution, Question};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "decl g; init begin g := 0; end
//!     thread one void main() begin g := 1; end end
//!     thread two void main() begin assert(!g); end end";
//! let (program, _) = bp::parse(text, base::SourceMap::new().add("race.bp", None), Dialect::Strict)?;
//! let (system, _) = bp::threads::system(&program, "main", 1)?;
//! let budget = Budget { stop: &false.into(), effort: None };
//! let report = interleave::StateByState.check(&Question::assertions(&system), budget);
//! let Answer::Reachable { execution: Execution::Contexts(contexts), .. } = report.answer else {
//!     panic!("the second thread may run behind the first")
//! };
//! assert_eq!(contexts.threads, [0, 1]);
//! # Ok(())
//! # }
//! ```

mod bits;
mod checker;
mod execution;
mod machine;
mod memo;
mod runs;
mod search;
mod steps;
mod store;
mod table;
mod values;

pub use checker::StateByState;
pub use search::{Limits, Outcome, Search, Stats};

/// Why a system is not explored state by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// More than 64 variables are shared, or are in scope in a procedure beside them.
    Variables,
    /// A thread recurses.
    Recursion,
    /// A call has a `constrain`, which mentions the state before it.
    Constrain,
    /// Statements mention other threads' variables (`x$`).
    Others,
}

impl Unsupported {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            Unsupported::Variables => "more than 64 variables are shared, or in scope beside those",
            Unsupported::Recursion => "a thread recurses",
            Unsupported::Constrain => "a call has a `constrain`",
            Unsupported::Others => "it mentions other threads' variables (`x$`)",
        }
    }
}
