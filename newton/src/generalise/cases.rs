//! Values that a program distinguishes: where a location is compared with one constant after the other, as in a state
//! machine, each comparison would be needed one after the other, by one path each. Once a second constant matters they
//! are added together.

use crate::Discovered;
use crate::generalise::states::equation;
use crate::refuted::Refuted;
use ir::{Expr, Lvalue, Op, ProcId};
use predicates::normal::atoms;
use predicates::{Precision, Predicate, Scope};

/// At most this many are added for one location.
const MOST: usize = 64;

/// Adds them.
pub fn complete(refuted: &Refuted<'_>, precision: &Precision, found: &mut Vec<Discovered>) {
    for d in found.clone() {
        let Some((lv, value)) = equation(&d.predicate.expr).filter(|_| !precision.contains(&d.predicate))
        else {
            continue;
        };
        let other = |known: &Predicate| {
            known.scope == d.predicate.scope
                && equation(&known.expr).is_some_and(|(of, with)| of == lv && with != value)
        };
        if !precision.iter().any(|(_, known)| other(known)) {
            continue;
        }
        for expr in compared(refuted, d.predicate.scope, lv).into_iter().take(MOST) {
            let predicate = Predicate { expr, scope: d.predicate.scope };
            if !found.iter().any(|f| f.predicate == predicate) {
                found.push(Discovered { predicate, ..d.clone() });
            }
        }
    }
}

/// The equations of the location with constants that branches of the program decide, in their order.
fn compared(refuted: &Refuted<'_>, scope: Scope, lv: &Lvalue) -> Vec<Expr> {
    let program = refuted.program;
    let mut out: Vec<Expr> = vec![];
    let sees = |proc: ProcId| scope == Scope::Global || scope == Scope::Proc(proc);
    for (_, body) in program.procs.iter_enumerated().filter(|(proc, _)| sees(*proc)) {
        for edge in &body.edges {
            let Op::Assume(cond) = &edge.op else { continue };
            for atom in atoms(cond, refuted.mode, program.signed_wrap) {
                if equation(&atom).is_some_and(|(of, _)| of == lv) && !out.contains(&atom) {
                    out.push(atom);
                }
            }
        }
    }
    out
}
