//! Invariants in results: true of the C program at its loops, in names that have the intended meaning there.

use super::{speech, tidy};
use crate::facts::Names;
use crate::witness::scope::Scope;
use ir::{BinOp, Expr, ForAll, LocId, ProcId, VarId, VarKind};
use verify::Task;
use verify::cegar::Invariant;

/// The places of invariants and what they say. Parts about what the source has no name for are left out, and invariants of which
/// nothing is left.
pub(super) fn sayable(task: &Task, invariants: &[Invariant]) -> Vec<results::proof::Invariant> {
    let (names, program) = (Names::of(task), speech::spoken(task));
    let show = |e: &Expr| speech::plain(&program, e);
    let one = |invariant: &Invariant| {
        let scope = head(task, invariant).and_then(|at| names.scope(at));
        let is_named = |v: VarId| is_named(task, scope.as_ref(), v);
        let range = invariant.for_all.as_ref();
        if range.is_some_and(|range| !has_named_ends(range, &is_named)) {
            return None;
        }
        let bound = range.map(|range| range.variable);
        let condition = named_parts(&invariant.condition, &|v| Some(v) == bound || is_named(v))?;
        let text = show(&tidy::tidy(&condition));
        let text = range.map_or(text.clone(), |range| range.text(&program, &text, show));
        Some(results::proof::Invariant { place: task.sources.short(invariant.span), invariant: text })
    };
    invariants.iter().filter_map(one).collect()
}

/// The loop that an invariant is about, where only one is at its place.
fn head(task: &Task, invariant: &Invariant) -> Option<(ProcId, LocId)> {
    let procs = task.program.procs.iter_enumerated();
    let mut heads = procs.flat_map(|(p, proc)| {
        let at = proc.locations.iter_enumerated();
        at.filter(|(_, l)| l.loop_head && l.span == invariant.span).map(move |(l, _)| (p, l))
    });
    let first = heads.next()?;
    heads.next().is_none().then_some(first)
}

/// Whether the source means a variable by its name at the place; where that is not known, whether it has a name at all.
fn is_named(task: &Task, scope: Option<&Scope<'_>>, v: VarId) -> bool {
    match scope {
        Some(scope) => scope.name(v).is_some(),
        None => {
            !task.words.ghosts.contains(&v)
                && !matches!(task.whole.vars[v].kind, VarKind::Temp(_) | VarKind::Return(_))
        }
    }
}

fn has_named_ends(range: &ForAll, is_named: &impl Fn(VarId) -> bool) -> bool {
    [&range.from, &range.to].into_iter().all(|end| named_parts(end, is_named).is_some())
}

/// What is left of a condition without its parts about other variables; it follows from the condition.
fn named_parts(e: &Expr, is_named: &impl Fn(VarId) -> bool) -> Option<Expr> {
    match e {
        Expr::Binary(BinOp::And, l, r, _) => match (named_parts(l, is_named), named_parts(r, is_named)) {
            (Some(l), Some(r)) => Some(Expr::and(l, r)),
            (one, other) => one.or(other),
        },
        other => predicates::predicate::variables(other).into_iter().all(is_named).then(|| other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;
    use ir::Type;

    #[test]
    fn what_is_left_follows() {
        let x = |n: usize| Expr::binary(BinOp::Ge, Expr::var(VarId::from_index(n), Type::INT), Expr::int(0));
        let left = |e: &Expr| named_parts(e, &|v| v.index() != 9);
        assert_eq!(left(&Expr::and(x(0), x(9))), Some(x(0)));
        assert_eq!(left(&Expr::and(x(9), x(1))), Some(x(1)));
        assert_eq!(left(&Expr::or(x(0), x(9))), None);
        // What is left of one way among several would say little.
        assert_eq!(left(&Expr::or(Expr::and(x(0), x(9)), x(1))), None);
        assert_eq!(left(&Expr::or(x(0), x(1))), Some(Expr::or(x(0), x(1))));
        assert_eq!(left(&Expr::and(x(9), x(9))), None);
    }
}
