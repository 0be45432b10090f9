//! Checks of reads: something was written there before.

use super::definite_assignment::Initialised;
use crate::checks::demand::Demands;
use crate::checks::{Context, places};
use alias::{AliasOracle, Object};
use ir::expr::{Base, BinOp, Expr, Lvalue};
use ir::program::{CheckKind, ObjectQuery, Op, ProcId, Program, VarKind};
use std::collections::BTreeSet;

/// The check of a read.
pub(crate) fn read(d: &mut Demands<'_, '_>, lv: &Lvalue) {
    let cx: &Context<'_> = d.cx;
    let initialised = cx.initialised;
    let copied = initialised.copied().reaches(cx.oracle, lv);
    let mut conditions = vec![];
    match &lv.base {
        Base::Var(v) => match cx.program.vars[*v].kind {
            VarKind::Local(_) => {
                let parts = initialised.parts().read(lv);
                let written = initialised.written(d.proc, d.loc);
                if !parts.is_empty() && parts.iter().all(|p| written.contains(p)) && !copied {
                    return;
                }
                if let Some(condition) = initialised.flagged(lv, written, d.flags) {
                    let message = format!("read of uninitialised {}", d.place_text(lv));
                    return d.check(CheckKind::Uninit, condition, message, vec![]);
                }
            }
            VarKind::Global | VarKind::Formal(_) | VarKind::Temp(_) | VarKind::Return(_) => {
                if !copied || lv.as_var().is_some_and(|v| !initialised.is_shared(v)) {
                    return;
                }
            }
        },
        Base::Deref(p) => {
            let is_known = || cx.written.is_some_and(|w| w.covers((d.proc, d.loc), lv));
            if !copied && is_known() {
                return;
            }
            match whole(cx, p, copied) {
                Some(needs) if needs.is_empty() => return,
                needs => conditions.extend(needs.into_iter().flatten().reduce(Expr::and)),
            }
        }
    }
    let (at, _) = places::first_byte(cx.program, lv);
    let (question, answer) = d.ask(ObjectQuery::Initialised, &at);
    let zero = Expr::Const(0, answer.ty());
    let message = format!("read of uninitialised memory: {}", d.place_text(lv));
    let mut questions = vec![question];
    let has_value = Expr::binary(BinOp::Ne, answer, zero);
    let mut condition = has_value.clone();
    if let Base::Deref(p) = &lv.base {
        condition = d.unless_dead(condition, p, &mut questions);
    }
    conditions.extend(cx.filled.includes(cx.pointers(), lv));
    let condition = conditions.into_iter().rev().fold(condition, |all, one| one.or(all));
    let known = cx.placed.known(cx.about, lv, copied).map(|known| has_value.or(known.negated()));
    d.check_knowing(CheckKind::Uninit, condition, message, questions, known);
}

/// The check of a read of all bytes of a string, whose end is queried.
pub(crate) fn string(d: &mut Demands<'_, '_>, p: &Expr, ends: Expr, questions: Vec<Op>) {
    let copied = d.cx.initialised.copied().reaches(d.cx.oracle, &Lvalue::deref(p.clone()));
    let needs = whole(d.cx, p, copied);
    if needs.as_ref().is_some_and(Vec::is_empty) {
        return;
    }
    let message = format!("read of uninitialised memory: the string at {}", d.text(p));
    let known = needs.into_iter().flatten().reduce(Expr::and);
    let condition = known.into_iter().fold(ends, |ends, known| known.or(ends));
    d.check(CheckKind::Uninit, condition, message, questions);
}

/// The conditions under which all of what the pointer can point to is written, at whatever place it stands; `None` where
/// none is known. With `copied`, bytes without a value may have been copied to there.
fn whole(cx: &Context<'_>, p: &Expr, copied: bool) -> Option<Vec<Expr>> {
    let targets = cx.oracle.points_to(p);
    if !copied && cx.shapes.of(cx.program, cx.oracle, p).fixed {
        return Some(vec![]);
    }
    if targets.unknown && (copied || cx.unwritten_outside) {
        return None;
    }
    if !targets.unknown && targets.objects.is_empty() {
        return None;
    }
    let written =
        targets.objects.iter().filter(|o| copied || !is_written(cx.program, cx.initialised, cx.covered, o));
    written.map(|o| if let Object::Var(v) = o { cx.filled.whole(*v) } else { None }).collect()
}

/// Whether a pointer that the program does not know may lead to something that is not written.
pub(crate) fn outside_knows_unwritten(
    program: &Program,
    oracle: &AliasOracle,
    initialised: &Initialised,
    covered: &BTreeSet<ProcId>,
) -> bool {
    let allocated = program.edges().filter(|(_, _, edge)| matches!(edge.op, Op::Alloc { .. }));
    let mut objects =
        program.vars.ids().map(Object::Var).chain(allocated.map(|(p, e, _)| Object::Heap(p, e)));
    objects.any(|o| oracle.is_known_outside(o) && !is_written(program, initialised, covered, &o))
}

/// Whether everything in the object is written before anybody has its address.
pub(crate) fn is_written(
    program: &Program,
    initialised: &Initialised,
    covered: &BTreeSet<ProcId>,
    o: &Object,
) -> bool {
    match o {
        Object::Var(v) => match program.vars[*v].kind {
            VarKind::Global | VarKind::Formal(_) => true,
            VarKind::Local(_) => initialised.is_written_early(*v),
            VarKind::Temp(_) | VarKind::Return(_) => false,
        },
        // Objects made by models and the harness have their contents before anybody else sees them.
        Object::Heap(p, e) => {
            covered.contains(p) || matches!(program.procs[*p].edges[*e].op, Op::Alloc { zeroed: true, .. })
        }
        // Objects from outside have a value.
        Object::External => true,
        Object::Func(_) => false,
    }
}
