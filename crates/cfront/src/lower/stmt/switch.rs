//! `switch` and its labels.

use super::Stmt;
use crate::error::{Res, type_error};
use crate::lower::cfg::Switch;
use crate::lower::context::{Context, Emitter};
use crate::lower::expr::promote;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{BinOp, EdgeKind, Expr, LocId, Op, Type};
use lang_c::ast;

impl Context<'_> {
    pub(super) fn switch(&mut self, w: &ast::SwitchStatement, s: &Stmt) -> Res<()> {
        let span = self.symbols.span(&w.expression);
        let (v, ty) = self.full_value(&w.expression, |cx, v| {
            let v = cx.emitter.read(&cx.types, &mut cx.symbols, v, span)?;
            let v = promote(v);
            let Ty::Int(ty) = v.ty else {
                return type_error(span, "`switch` needs an integer");
            };
            Ok((v, ty))
        })?;
        let e = match v.e {
            e @ (Expr::Load(_) | Expr::Const(..)) => e,
            Expr::Cast(inner, t) if matches!(*inner, Expr::Load(_)) => Expr::Cast(inner, t),
            e => self.emitter.spill(e, span),
        };
        let head = self.emitter.fun.cur;
        let after = self.emitter.fun.new_loc();
        self.emitter.fun.switches.push(Switch { ty: Some(ty), ..Switch::default() });
        self.emitter.fun.breaks.push((after, self.symbols.scopes.blocks.len()));
        self.emitter.fun.cur = self.emitter.fun.new_loc();
        let result = self.substatement(&w.statement);
        self.emitter.fun.breaks.pop();
        let switch = self.emitter.fun.switches.pop().expect("it was pushed above");
        result?;
        let whole = self.symbols.span(s);
        self.emitter.fun.goto(after, whole);
        self.emitter.dispatch(head, &e, ty, &switch, after, span);
        self.emitter.fun.cur = after;
        Ok(())
    }
}

impl Emitter<'_> {
    pub(super) fn case(&mut self, low: i128, high: i128, span: Span) -> Res<()> {
        let loc = self.fun.new_loc();
        let Some(switch) = self.fun.switches.last_mut() else {
            return type_error(span, "`case` stands in no `switch`");
        };
        let ty = switch.ty.expect("an open switch knows its type").lower();
        let (low, high) = (ty.wrap(low), ty.wrap(high));
        let overlap = switch.cases.iter().any(|c| low <= c.1 && c.0 <= high);
        switch.cases.push((low, high, loc, span));
        if overlap {
            return type_error(span, "two `case` labels have the same value");
        }
        self.fun.enter(loc, span);
        Ok(())
    }

    /// The edges from the head of a `switch`: one for each label, and a chain of negations to the default.
    fn dispatch(&mut self, head: LocId, e: &Expr, ty: IntTy, switch: &Switch, after: LocId, span: Span) {
        let wrap = self.rules();
        let constant = |v: i128| Expr::Const(v, Type::Int(ty.lower()));
        let compare = |op, v| crate::types::constants::binary(op, e.clone(), constant(v), Type::INT, wrap);
        let test = |low: i128, high: i128, [same, least, most, both]: [BinOp; 4]| {
            if low == high {
                return compare(same, low);
            }
            crate::types::constants::binary(both, compare(least, low), compare(most, high), Type::INT, wrap)
        };
        for (low, high, loc, at) in &switch.cases {
            let condition = test(*low, *high, [BinOp::Eq, BinOp::Ge, BinOp::Le, BinOp::And]);
            if condition != Expr::truth(false) {
                self.fun.edge(head, *loc, Op::Assume(condition), *at, EdgeKind::Branch { taken: true });
            }
        }
        self.fun.cur = head;
        let mut last = None;
        for (low, high, _, _) in &switch.cases {
            let condition = test(*low, *high, [BinOp::Ne, BinOp::Lt, BinOp::Gt, BinOp::Or]);
            if let Some(previous) = last.replace(condition) {
                self.internal(Op::Assume(previous), span);
            }
        }
        let (target, at, taken) = match switch.default {
            Some((loc, at)) => (loc, at, true),
            None => (after, span, false),
        };
        match last {
            Some(condition) => {
                let from = self.fun.cur;
                self.fun.edge(from, target, Op::Assume(condition), at, EdgeKind::Branch { taken });
            }
            None => self.fun.goto(target, at),
        }
    }
}
