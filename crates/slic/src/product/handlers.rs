//! Handlers as graphs: conditions become branches, `abort` a check that fails.

use super::{Site, Work, converted};
use crate::ast::{BinaryOp, Condition, Expr, ExprKind, Handler, Operand, Stmt, StmtKind, UnaryOp};
use base::Span;
use ir::{BinOp, Check, CheckKind, LocId, Lvalue, Op, ProcId};

impl Work<'_> {
    /// The handler at a place; where it ends.
    pub(super) fn handle(&mut self, handler: &Handler, site: &Site, from: LocId) -> LocId {
        let end = self.location(site.proc, site.span);
        let mut at = from;
        if let Some(watch) = self.rule.watched(&site.function) {
            let object = Expr { kind: ExprKind::Operand(watch.object), span: watch.span };
            let needs = watch.object == Operand::Return;
            if needs && site.result.is_none() {
                self.complain(watch.span, format!("`{}` has no result", site.function), site.span);
                return end;
            }
            let yes = self.location(site.proc, site.span);
            self.is_watched(&object, site, at, yes, end);
            at = yes;
        }
        if let Some(guard) = &handler.guard {
            let yes = self.location(site.proc, site.span);
            self.branch(guard, site, at, yes, end);
            at = yes;
        }
        if let Some(at) = self.statement(&handler.body, site, at) {
            self.edge(site.proc, at, end, Op::Skip, site.span);
        }
        end
    }

    /// The statement; where it ends, if it does.
    fn statement(&mut self, s: &Stmt, site: &Site, at: LocId) -> Option<LocId> {
        let proc = site.proc;
        match &s.kind {
            StmtKind::Block(body) => body.iter().try_fold(at, |at, s| self.statement(s, site, at)),
            StmtKind::If(condition, yes, no) => {
                let (then, otherwise) = (self.location(proc, s.span), self.location(proc, s.span));
                match condition {
                    Condition::Any => {
                        self.edge(proc, at, then, Op::Skip, s.span);
                        self.edge(proc, at, otherwise, Op::Skip, s.span);
                    }
                    Condition::Of(e) => self.branch(e, site, at, then, otherwise),
                }
                let yes = self.statement(yes, site, then);
                let no = match no {
                    Some(no) => self.statement(no, site, otherwise),
                    None => Some(otherwise),
                };
                let ends: Vec<LocId> = yes.into_iter().chain(no).collect();
                if ends.is_empty() {
                    return None;
                }
                let join = self.location(proc, s.span);
                ends.iter().for_each(|end| self.edge(proc, *end, join, Op::Skip, s.span));
                Some(join)
            }
            StmtKind::Assign(name, op, value) => {
                let lv = self.out.lvalue(*self.variables.get(&name.text)?);
                let mut value = self.value(value, site)?;
                if let Some(op) = op {
                    value = self.operation(*op, lv.clone().load(), value, (s.span, site))?;
                }
                let value = self.assigned(value, &lv.ty, s.span, site)?;
                // Reports look at the place of the location: it says at which statement of the program this happens.
                let to = self.location(proc, site.span);
                self.edge(proc, at, to, Op::Assign(lv, value), s.span);
                Some(to)
            }
            StmtKind::Store(n, value) => self.store(*n, value, s.span, site, at),
            StmtKind::Abort(message) => {
                let check = Check {
                    rule: Some(self.name.clone()),
                    ..Check::new(CheckKind::Rule, site.span, message, proc)
                };
                let id = self.out.checks.push(check);
                self.run(proc, at, Op::Check(id, ir::Expr::int(0)), site.span);
                None
            }
            StmtKind::Halt => {
                self.run(proc, at, Op::Assume(ir::Expr::int(0)), s.span);
                None
            }
        }
    }

    /// Stores what a function leaves where its argument points to, unless that is NULL.
    fn store(&mut self, n: u32, value: &Expr, span: Span, site: &Site, at: LocId) -> Option<LocId> {
        let argument = Expr { kind: ExprKind::Operand(Operand::Argument(n)), span };
        let (pointer, value) = (self.value(&argument, site)?, self.value(value, site)?);
        let Some(to) = pointer.ty().pointee().filter(|ty| ty.is_scalar()).cloned() else {
            self.complain(span, format!("${n} does not point to a number or a pointer"), site.span);
            return None;
        };
        let value = self.assigned(value, &to, span, site)?;
        let proc = site.proc;
        let (there, end) = (self.location(proc, site.span), self.location(proc, site.span));
        self.assume(proc, at, pointer.clone().truthy(), there, end, span);
        self.edge(proc, there, end, Op::Assign(Lvalue::deref(pointer), value), span);
        Some(end)
    }

    /// Goes to `yes` where the condition holds and to `no` where not.
    fn branch(&mut self, e: &Expr, site: &Site, at: LocId, yes: LocId, no: LocId) {
        let proc = site.proc;
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.branch(inner, site, at, no, yes),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                let middle = self.location(proc, e.span);
                self.branch(left, site, at, middle, no);
                self.branch(right, site, middle, yes, no);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                let middle = self.location(proc, e.span);
                self.branch(left, site, at, yes, middle);
                self.branch(right, site, middle, yes, no);
            }
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right)
                if left.kind == ExprKind::Watched || right.kind == ExprKind::Watched =>
            {
                let object = if left.kind == ExprKind::Watched { right } else { left };
                let (yes, no) = if *op == BinaryOp::Eq { (yes, no) } else { (no, yes) };
                self.is_watched(object, site, at, yes, no);
            }
            _ => {
                let Some(condition) = self.value(e, site) else { return };
                self.assume(proc, at, condition.truthy(), yes, no, e.span);
            }
        }
    }

    fn assume(&mut self, proc: ProcId, at: LocId, condition: ir::Expr, yes: LocId, no: LocId, span: Span) {
        self.edge(proc, at, yes, Op::Assume(condition.clone()), span);
        self.edge(proc, at, no, Op::Assume(condition.negated()), span);
    }

    /// Whether the object is the one that is followed.
    fn is_watched(&mut self, object: &Expr, site: &Site, at: LocId, yes: LocId, no: LocId) {
        let Some(watched) = self.watched else { return };
        let Some(object) = self.value(object, site) else { return };
        let watched = self.out.read(watched);
        if object.ty().is_ptr() != watched.ty().is_ptr() {
            return;
        }
        let object = converted(object, &watched.ty());
        self.assume(site.proc, at, ir::Expr::binary(BinOp::Eq, object, watched), yes, no, site.span);
    }
}
