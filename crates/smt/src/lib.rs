//! First-order terms as plain data, and provers for them.
//!
//! Terms ([`Term`], sorts [`Sort`]) are immutable, shared between threads and simplified as they are built; they know
//! nothing of any prover. A [`Prover`] is an incremental solver with a stack of assertions; [`Z3Prover`] is the one
//! back end. [`solve`] answers a question that is asked once, and leaves those about bits to Kissat. Models are plain
//! data too.
//!
//! The crate must not know C or predicates. No other crate names Z3 or Kissat, and no object of these leaves the
//! modules `z3` and `sat`. Answers depend on the questions alone, not on threads or time; [`Interrupt`] is the
//! exception.
//!
//! ```
//! use smt::{Answer, Config, Prover, Sort, Term, Z3Prover};
//!
//! let (x, y) = (Term::constant("x", Sort::Int), Term::constant("y", Sort::Int));
//! let mut prover = Z3Prover::new(Config::default());
//! prover.assert(&x.int_lt(&y));
//! assert!(prover.entails(&x.int_add(&Term::int(1)).int_le(&y)));
//! assert_eq!(prover.check(&[y.int_lt(&x)]), Answer::Unsat);
//!
//! assert_eq!(prover.check(&[x.equal(&Term::int(3))]), Answer::Sat);
//! let model = prover.model().expect("the last answer was sat");
//! assert!(model.eval(&y).and_then(|value| value.as_int()).is_some_and(|value| value > 3));
//! ```

mod build;
mod float;
pub mod horn;
mod intern;
mod interrupt;
mod listing;
mod model;
mod once;
mod print;
mod prover;
mod sat;
mod sort;
mod term;
mod value;
mod z3;

pub use ieee::{Arithmetic, Rounding};
pub use interrupt::Interrupt;
pub use listing::Listing;
pub use model::{Evaluation, FunctionValue, Model};
pub use once::solve;
pub use prover::{Answer, INTERRUPTED, Prover, RESOURCE_LIMIT, Scope, shrink_core};
pub use sort::{ArraySort, Function, MAX_WIDTH, Sort};
pub use term::{Op, Term};
pub use value::{ArrayValue, Value};
pub use z3::{Config, Z3Prover};

/// The version of the Z3 library that this program runs with, such as `4.15.4.0`.
pub fn version() -> String {
    let full = z3::full_version();
    full.split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(&full)
        .to_owned()
}

/// Z3's resource limit for one check, unless options say otherwise.
pub const RLIMIT: u64 = 20_000_000;

/// A prover with this limit for one check.
pub fn prover(rlimit: u64, interrupt: &Interrupt) -> Z3Prover {
    Z3Prover::new(Config { rlimit, interrupt: interrupt.clone(), ..Config::default() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_linked_library_is_recent_enough() {
        let version = super::version();
        let major: u32 = version
            .split('.')
            .next()
            .expect("split gives at least one part")
            .parse()
            .expect("the version starts with a number");
        assert!(major >= 4, "{version}");
    }
}
