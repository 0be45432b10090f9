//! Conditions on a copied value: where `y = x` made a condition on `y` one on `x`, the other known conditions on `y`
//! will be needed for `x` as well, by one path each. They are added together.

use crate::Discovered;
use crate::refuted::Refuted;
use ir::visit::{walk_address, walk_reads};
use ir::{Expr, Lvalue, Op, PathStep};
use predicates::normal::{Normal, normalise};
use predicates::weakest_precondition::{self as wp, Context};
use predicates::{Precision, Predicate, Scope};

/// At most this many are added for one copy.
const MOST: usize = 64;

/// Adds them.
pub fn complete(refuted: &Refuted<'_>, precision: &Precision, found: &mut Vec<Discovered>) {
    let (program, path, mode) = (refuted.program, refuted.path, refuted.mode);
    let cx = Context { program, oracle: refuted.oracle, mode };
    for d in found.clone() {
        let Scope::Proc(proc) = d.predicate.scope else { continue };
        let Some(PathStep::Edge(p, e)) = path.steps.get(d.step) else { continue };
        let Op::Assign(to, value) = &program.procs[*p].edges[*e].op else { continue };
        let Some(from) = copied(value).filter(|_| proc == *p) else { continue };
        if precision.contains(&d.predicate) || !reads_only(&d.predicate.expr, from) {
            continue;
        }
        let of_copy = precision.iter().map(|(_, known)| known).filter(|known| {
            (known.scope == d.predicate.scope || known.scope == Scope::Global) && reads_only(&known.expr, to)
        });
        for known in of_copy.take(MOST) {
            let before = wp::assign(cx, to, value, &known.expr);
            let Normal::Atom { expr, .. } = normalise(before, mode, program.signed_wrap) else {
                continue;
            };
            let Ok(predicate) = Predicate::new(program, expr, Some(proc)) else { continue };
            if reads_only(&predicate.expr, from) && !found.iter().any(|f| f.predicate == predicate) {
                found.push(Discovered { predicate, ..d.clone() });
            }
        }
    }
}

/// The location whose value it is, conversions aside.
fn copied(value: &Expr) -> Option<&Lvalue> {
    match value {
        Expr::Load(lv) => Some(lv),
        Expr::Cast(inner, _) => copied(inner),
        _ => None,
    }
}

/// Whether the condition reads this location, and no other but those that tell where it is.
fn reads_only(e: &Expr, lv: &Lvalue) -> bool {
    let mut own = vec![lv];
    walk_address(lv, &mut |read| own.push(read));
    let (mut reads, mut others) = (false, false);
    walk_reads(e, &mut |read| {
        reads |= read == lv;
        others |= !own.contains(&read);
    });
    reads && !others
}
