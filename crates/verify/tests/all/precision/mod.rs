//! Precisions for the tests of what programs suggest.

use encoding::IntMode;
use ir::Program;
use predicates::normal::{Normal, normalise};
use predicates::{Precision, Predicate};

/// The precision of these conditions over mathematical integers, each with the procedure whose variables it may name, if one.
pub(crate) fn precision(program: &Program, known: &[(&str, Option<&str>)]) -> Precision {
    let mut precision = Precision::new();
    for (text, within) in known {
        let named = |name: &&str| program.procs.ids().find(|p| program.procs[*p].name == *name);
        let proc = within.as_ref().map(|name| named(name).expect("it is there"));
        let expr = ir::parse::expr(text, program, proc).unwrap_or_else(|_| panic!("`{text}` is a condition"));
        let Normal::Atom { expr, .. } = normalise(expr, IntMode::Math, program.signed_wrap) else {
            panic!("`{text}` depends on the state")
        };
        precision.add(Predicate::new(program, expr, proc).expect("one procedure's variables"));
    }
    precision
}
