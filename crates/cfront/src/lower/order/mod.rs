//! The order of evaluation. C leaves open in which order the operands of most operators, the arguments of calls and
//! the items of initialisers are evaluated. Where that could show - a call or another side effect in one operand may
//! write what another one reads or writes - the events concerned are evaluated before the expression itself, in every
//! order that C allows, into temporaries; the expression is then lowered with these values.
//!
//! Invariant: an expression without such a conflict is lowered as if this module did not exist.

mod bits;
mod events;
mod explore;
mod owner;
mod plan;
mod reader;
mod scan;
mod summary;
mod touch;

use crate::error::{Res, unsupported};
use crate::lower::context::Context;
use crate::lower::expr::{Ast, Ev, Place, Val};
use crate::options::EvaluationOrder;
use base::Span;
use events::number;
use ir::{Expr, Lvalue, Op};
use plan::Plan;
use rustc_hash::FxHashMap;
use summary::Summaries;

/// Expressions whose order of evaluation is settled, and facts about functions.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// An expression is being lowered whose conflicts are settled.
    inside: bool,
    settled: Settled,
    summaries: Summaries,
}

/// Results that were evaluated before the expression around them, by the numbers of nodes.
#[derive(Clone, Debug, Default)]
struct Settled {
    values: FxHashMap<usize, Ev>,
    /// Old values of left sides of compound assignments, by the left side.
    old: FxHashMap<usize, Val>,
    /// The places and values that assignments will store.
    stores: FxHashMap<usize, (Place, Stored)>,
}

/// The value that an assignment stores.
#[derive(Clone, Debug)]
enum Stored {
    Scalar(Expr),
    Record(Lvalue),
}

impl Order {
    /// Whether the expression was evaluated already.
    pub(crate) fn is_known(&self, e: &Ast) -> bool {
        !self.settled.values.is_empty() && self.settled.values.contains_key(&number(e))
    }

    /// The result of the expression, if it was evaluated before.
    pub(crate) fn known(&self, e: &Ast) -> Option<&Ev> {
        if self.settled.values.is_empty() { None } else { self.settled.values.get(&number(e)) }
    }

    /// The value that the left side of a compound assignment had when it was read.
    pub(crate) fn old(&self, left: &Ast) -> Option<&Val> {
        self.settled.old.get(&number(left))
    }
}

impl Context<'_> {
    /// Lowers an expression with `lower`; the conflicts in it are settled before.
    pub(crate) fn in_order<T>(&mut self, e: &Ast, lower: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.in_order_to(e, false, lower)
    }

    /// The same. `changed`: what is done to the value makes gcc apply other operators ([`Context::is_changed_by`]).
    pub(crate) fn in_order_to<T>(
        &mut self,
        e: &Ast,
        changed: bool,
        lower: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        if self.emitter.dry > 0
            || self.emitter.in_static_init
            || self.settings.options.evaluation_order == EvaluationOrder::Left
        {
            return lower(self);
        }
        if scan::is_sequenced(e) {
            // Its operands are evaluated one after the other; each is treated by itself.
            return self.afresh(lower);
        }
        if self.order.inside || scan::is_harmless(&self.order, &self.symbols, e) {
            return lower(self);
        }
        let before = self.order.settled.clone();
        self.order.inside = true;
        let settled = self.plan(e, changed).and_then(|plan| self.settle(plan, self.symbols.span(e)));
        let result = settled.and_then(|()| lower(self));
        self.order.inside = false;
        self.order.settled = before;
        result
    }

    /// Settles the conflicts between the items of an initialiser, which are evaluated one after the other in any
    /// order, and runs `lower`.
    pub(crate) fn items_in_order<T>(
        &mut self,
        items: &[&Ast],
        span: Span,
        lower: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<T> {
        let off = self.emitter.dry > 0
            || self.emitter.in_static_init
            || self.order.inside
            || self.settings.options.evaluation_order != EvaluationOrder::Any;
        if off || items.len() < 2 || !items.iter().any(|e| scan::has_effects(&self.order, e)) {
            return lower(self);
        }
        let before = self.order.settled.clone();
        let plan = self.plan_items(items);
        let settled = plan.and_then(|plan| self.settle(plan, span));
        let result = settled.and_then(|()| lower(self));
        self.order.settled = before;
        result
    }

    /// Runs `lower` on operands between which and what is around them C puts an order.
    pub(crate) fn afresh<T>(&mut self, lower: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let inside = std::mem::replace(&mut self.order.inside, false);
        let result = lower(self);
        self.order.inside = inside;
        result
    }

    fn settle(&mut self, plan: Plan<'_>, span: Span) -> Res<()> {
        match plan {
            Plan::Nothing => Ok(()),
            Plan::Undefined(at) => {
                let message = "an object is changed and used or changed again without a sequence point between \
                               the two, which is undefined: executions end here";
                self.emitter.warn(at, message);
                self.emitter.internal(Op::Assume(Expr::int(0)), at);
                self.emitter.fun.cur = self.emitter.fun.new_loc();
                Ok(())
            }
            Plan::Refused(at, message) => unsupported(at, message),
            Plan::Explore(schedule) => self.explore(&schedule, span),
        }
    }
}
