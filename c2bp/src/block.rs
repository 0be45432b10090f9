//! Basic blocks as one statement (large-block encoding \[BCGKS09\], as far as there are no branches): the last edge does what all
//! assignments of the block do, and the others do nothing, but that a condition with which the block begins is assumed there. So
//! what is needed only between two statements of a block needs no predicate, and predicates are asked about once a block.
//!
//! The edges are executed on formulas over the state before the block, and the predicates that some of them may change get their
//! values by one parallel assignment.
//!
//! Invariant: until its last edge the boolean program is in the state from before the block.

use crate::after::After;
use crate::null_guards;
use crate::question::Image;
use crate::statement::{Draft, Relation, Simple, Statement};
use crate::world::World;
use cmm::analysis::CellSet;
use cmm::{EdgeId, Op, ProcId};
use pred::{Facts, PredId};
use smt::Term;
use std::collections::BTreeSet;

/// What a block does.
struct Executed<'a> {
    /// The state behind it.
    after: After<'a>,
    /// The conditions under which it is taken.
    conditions: Vec<Term>,
    /// The predicates that it may change.
    touched: Vec<PredId>,
}

/// An edge to which nothing is left to do.
pub(crate) fn nothing() -> Draft {
    Draft::Simple(Box::new(Simple::nothing()))
}

/// The last edge of the block of these.
pub(crate) fn draft(world: &World<'_>, p: ProcId, edges: &[EdgeId], image: Image) -> Draft {
    let last = edges[edges.len() - 1];
    let mut cx = Statement::new(world, p, last, image);
    let Executed { mut after, conditions, touched } = execute(&mut cx, edges);
    cx.questions.assume(conditions);
    let action = cx.update(touched, &mut after, &|e| Some(e.clone()));
    // Those behind the first assignment follow pointers in another state.
    let edge = |e: &EdgeId| &world.base.program.procs[p].edges[*e];
    let first = edges.iter().map(edge).find(|edge| matches!(edge.op, Op::Assign(..)));
    let (cut, cutting) = first.map(|edge| null_guards::cut(world, p, edge, image)).unwrap_or_default();
    let inquiry = cx.questions.finish();
    Draft::Simple(Box::new(Simple { action, inquiry, cut, cutting, ..Simple::nothing() }))
}

/// The block as a relation between the predicates before it and behind it.
pub(crate) fn relation(world: &World<'_>, p: ProcId, edges: &[EdgeId]) -> Relation {
    let last = edges[edges.len() - 1];
    let mut cx = Statement::new(world, p, last, Image::Exact);
    let Executed { mut after, conditions: mut facts, touched } = execute(&mut cx, edges);
    facts.extend(cx.questions.facts());
    let (mut before, mut behind) = (vec![], vec![]);
    for (n, id) in world.tracked(p, cx.edge.src).enumerate() {
        let pred = &world.preds[id];
        facts.extend(pred.now.axioms().iter().cloned());
        before.push((id, pred.now.term.clone()));
        let term = if touched.contains(&id) {
            let mut about = Facts::new(&format!("g{n}"));
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
    let base = &cx.world.base;
    let mut after = After::new(base, CellSet::new());
    let (mut conditions, mut touched) = (vec![], BTreeSet::new());
    for (n, e) in edges.iter().enumerate() {
        let mut facts = Facts::new(&format!("d{n}"));
        match &base.program.procs[cx.p].edges[*e].op {
            Op::Skip => {}
            Op::Assume(c) => conditions.push(base.encoder().cond(c, &mut after, &mut facts)),
            Op::Assign(lv, value) => {
                let value = base.encoder().value(value, &mut after, &mut facts);
                base.encoder().access_defined(lv, &mut after, &mut facts);
                touched.extend(cx.touched(lv));
                after.store(base, lv, value, true, &mut facts);
            }
            _ => panic!("other operations are blocks by themselves"),
        }
        cx.questions.assume(facts.axioms.into_iter().chain(facts.defined));
    }
    Executed { after, conditions, touched: touched.into_iter().collect() }
}
