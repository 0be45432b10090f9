//! Blocks as one step (large-block encoding \[BCGKS09\]). Each path of a block is executed on formulas over the state before the block: its
//! conditions and checks are asked about there, and its last edge does what all assignments on it do. So what is needed only between two
//! statements of a block needs no predicate, and predicates are asked about once a path.
//!
//! Invariant: until the last edge of its block the boolean program is in the state from before the block.

use crate::cartesian::{Action, Draft, Relation, Simple, Statement};
use crate::context::World;
use crate::null_guards;
use crate::post_state::After;
use crate::question::Image;
use alias::CellSet;
use encoding::SideConditions;
use ir::{EdgeId, Op, ProcId};
use predicates::PredId;
use smt::Term;
use std::collections::BTreeSet;

/// What the edges of a block do, one after the other.
struct Executed<'a> {
    /// The state behind them.
    after: After<'a>,
    /// The conditions under which they are taken.
    conditions: Vec<Term>,
    /// The predicates that they may change.
    touched: BTreeSet<PredId>,
}

/// An edge of a block of several. Where others follow in the block, a condition is what it is in the state from before the block, and
/// everything else is left to those.
pub(crate) fn draft(world: &World<'_>, p: ProcId, e: EdgeId, image: Image) -> Draft {
    let (before, edge) = (world.blocks.before(p, e), &world.base.program.procs[p].edges[e]);
    let is_last = world.blocks.is_last(p, e);
    let condition = match &edge.op {
        Op::Assume(c) | Op::Check(_, c) => Some(c),
        _ if is_last => None,
        _ => return Draft::Simple(Box::new(Simple::nothing())),
    };
    let mut cx = Statement::new(world, p, e, image);
    let mut executed = execute(&mut cx, &before);
    let term = step(&mut cx, e, before.len(), &mut executed);
    cx.questions.assume(executed.conditions);
    let words = condition.filter(|_| executed.touched.is_empty());
    let mut update = |cx: &mut Statement<'_>| {
        cx.update(executed.touched.iter().copied(), &mut executed.after, &|e| Some(e.clone()))
    };
    let mut draft = Simple::nothing();
    match term {
        Some(term) => {
            if is_last {
                let mut behind = Statement::new(world, p, e, image);
                behind.questions.follows(&cx.questions, term.clone());
                draft.tracked = update(&mut behind);
                draft.tracking = behind.questions.finish();
            }
            draft.action = match edge.op {
                Op::Assume(_) => cx.assume(&term, words),
                _ => cx.check(term, words),
            };
        }
        None => draft.action = Action::Update(update(&mut cx)),
    }
    draft.inquiry = cx.questions.finish();
    // Those behind the first assignment follow pointers in another state.
    let op = |e: EdgeId| &world.base.program.procs[p].edges[e].op;
    let writes = |e: &EdgeId| matches!(op(*e), Op::Assign(..) | Op::Havoc(..));
    let first = before.iter().copied().find(writes);
    let cutting = if condition.is_some() { first.is_none().then_some(e) } else { first.or(Some(e)) };
    if let Some(e) = cutting {
        (draft.cut, draft.cutting) = null_guards::cut(world, p, &world.base.program.procs[p].edges[e], image);
    }
    Draft::Simple(Box::new(draft))
}

/// The edge of a block of several as a relation between the predicates before it and behind it, in the boolean program.
pub(crate) fn relation(world: &World<'_>, p: ProcId, e: EdgeId) -> Relation {
    let edges: Vec<EdgeId> = world.blocks.before(p, e).into_iter().chain([e]).collect();
    let mut cx = Statement::new(world, p, e, Image::Exact);
    let Executed { mut after, conditions: mut facts, mut touched } = execute(&mut cx, &edges);
    facts.extend(cx.questions.facts());
    if !world.blocks.is_last(p, e) {
        touched.clear();
    }
    let (mut before, mut behind) = (vec![], vec![]);
    for (n, id) in world.tracked(p, cx.edge.src).enumerate() {
        let pred = &world.preds[id];
        facts.extend(pred.now.axioms().iter().cloned());
        before.push((id, pred.now.term.clone()));
        let term = if touched.contains(&id) {
            let mut about = SideConditions::new(&format!("g{n}"));
            let term = world.base.condition(&pred.expr, &mut after, &mut about);
            facts.extend(about.axioms);
            term
        } else {
            pred.now.term.clone()
        };
        behind.push((id, term));
    }
    Relation { facts, before, after: behind }
}

/// Executes the edges; that they are executed without error is assumed of the questions.
fn execute<'a>(cx: &mut Statement<'a>, edges: &[EdgeId]) -> Executed<'a> {
    let after = After::new(&cx.world.base, CellSet::new());
    let mut executed = Executed { after, conditions: vec![], touched: BTreeSet::new() };
    for (n, e) in edges.iter().enumerate() {
        let condition = step(cx, *e, n, &mut executed);
        executed.conditions.extend(condition);
    }
    executed
}

/// Executes one edge more, the `n`-th: the condition under which it is taken.
fn step(cx: &mut Statement<'_>, e: EdgeId, n: usize, executed: &mut Executed<'_>) -> Option<Term> {
    let base = &cx.world.base;
    let (encoder, after) = (base.encoder(), &mut executed.after);
    let mut facts = SideConditions::new(&format!("d{n}"));
    let mut condition = None;
    match &base.program.procs[cx.p].edges[e].op {
        Op::Skip => {}
        // Behind a check that fails the execution has ended.
        Op::Assume(c) | Op::Check(_, c) => condition = Some(encoder.cond(c, after, &mut facts)),
        Op::Assign(lv, value) => {
            let value = encoder.value(value, after, &mut facts);
            encoder.access_defined(lv, after, &mut facts);
            executed.touched.extend(cx.touched(lv));
            after.store(base, lv, value, true, &mut facts);
        }
        Op::Havoc(lv, _) => {
            encoder.access_defined(lv, after, &mut facts);
            let value = cx.arbitrary(&format!("any{n}"), &lv.ty);
            cx.questions.choose(&value);
            executed.touched.extend(cx.touched(lv));
            after.store(base, lv, value, true, &mut facts);
        }
        _ => panic!("other operations are blocks by themselves"),
    }
    cx.questions.assume(facts.axioms.into_iter().chain(facts.defined));
    condition
}
