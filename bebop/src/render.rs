//! Sums of cubes as expressions.

use crate::reached::{Held, Sum, When};
use bp::{Cfg, VarId};

/// A sum of cubes over variables as a boolean expression: `a & !b | c`.
pub fn sum_text(cfg: &Cfg, sum: &Sum<VarId>) -> String {
    expression(sum, |v| cfg.vars[*v].name.to_string())
}

/// The same with the values when the procedure was entered, `old(a)`.
pub fn relation_text(cfg: &Cfg, sum: &Sum<(VarId, When)>) -> String {
    expression(sum, |(v, when)| match when {
        When::Entry => format!("old({})", cfg.vars[*v].name),
        When::Current => cfg.vars[*v].name.to_string(),
    })
}

/// The same of a procedure that returns this many values: `result`, or `result1`, `result2`.
pub fn summary_text(cfg: &Cfg, sum: &Sum<Held>, returns: usize) -> String {
    expression(sum, |held| match held {
        Held::Entry(v) => format!("old({})", cfg.vars[*v].name),
        Held::Exit(v) => cfg.vars[*v].name.to_string(),
        Held::Result(_) if returns == 1 => "result".to_owned(),
        Held::Result(k) => format!("result{}", k + 1),
    })
}

fn expression<V>(sum: &Sum<V>, name: impl Fn(&V) -> String) -> String {
    let mut cubes: Vec<String> = sum.cubes.iter().map(|cube| cube_text(cube, &name)).collect();
    if cubes.is_empty() {
        cubes.push("0".to_owned());
    }
    if !sum.complete {
        cubes.push("...".to_owned());
    }
    cubes.join(" | ")
}

/// A conjunction: `a & !b`, or `1`.
pub(crate) fn cube_text<V>(cube: &[(V, bool)], name: impl Fn(&V) -> String) -> String {
    let literal = |(v, value): &(V, bool)| format!("{}{}", if *value { "" } else { "!" }, name(v));
    match cube {
        [] => "1".to_owned(),
        literals => literals.iter().map(literal).collect::<Vec<_>>().join(" & "),
    }
}
