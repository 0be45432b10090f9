//! What the tests of the abstraction share: from text to text.

pub(crate) mod boolean;
pub(crate) mod follow;
pub(crate) mod integers;
pub(crate) mod machine;

use alias::{AliasMode, AliasOracle};
use c2bp::{Abstraction, Cache, Options};
use encoding::IntMode;
use ir::Program;
use predicates::{Precision, Predicate, normal};
use std::sync::atomic::AtomicBool;

/// The program that C-- text denotes.
pub(crate) fn program(text: &str) -> Program {
    ir::parse::program(text).unwrap_or_else(|d| panic!("{} at {:?}", d.message, d.span))
}

/// The predicates, each `scope: text` or `text` for a global one, in normal form; constant ones are left out.
pub(crate) fn precision(program: &Program, texts: &[&str]) -> Precision {
    let mut precision = Precision::new();
    for text in texts {
        let (scope, text) = match text.split_once(": ") {
            Some((name, rest)) => (Some(program.find_proc(name).expect("a procedure's name")), rest),
            None => (None, *text),
        };
        let expr = ir::parse::expr(text, program, scope).unwrap_or_else(|d| panic!("{text}: {}", d.message));
        let normal::Normal::Atom { expr, .. } = normal::normalise(expr, IntMode::Math, program.signed_wrap)
        else {
            continue;
        };
        precision.add(Predicate::new(program, expr, scope).expect("one scope"));
    }
    precision
}

/// The abstraction with the usual options, changed by `change`.
pub(crate) fn abstraction(
    program: &Program,
    predicates: &[&str],
    change: impl FnOnce(&mut Options<'_>),
) -> Abstraction {
    abstraction_with(program, &precision(program, predicates), change)
}

/// The same for predicates that are there already.
pub(crate) fn abstraction_with(
    program: &Program,
    precision: &Precision,
    change: impl FnOnce(&mut Options<'_>),
) -> Abstraction {
    abstraction_without(program, precision, &c2bp::Clauses::new(), change)
}

/// The same without these steps.
pub(crate) fn abstraction_without(
    program: &Program,
    precision: &Precision,
    steps: &c2bp::Clauses,
    change: impl FnOnce(&mut Options<'_>),
) -> Abstraction {
    let oracle = AliasOracle::new(program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let mut options = Options { clauses: Some(steps), ..Options::new(&stop, &interrupt) };
    change(&mut options);
    c2bp::abstract_program(program, &oracle, precision, &options, &mut Cache::new()).expect("nobody stops it")
}

/// The printed boolean program.
pub(crate) fn printed(text: &str, predicates: &[&str]) -> String {
    bp::print(&abstraction(&program(text), predicates, |_| {}).program)
}
