//! The edges of statements without statements inside.

use super::lower::{Lower, Places};
use super::rules::Scope;
use super::{Op, VarId, VertexId};
use crate::ast::{Start, Stmt, StmtKind};
use crate::expr::Expr;
use crate::name::{Ident, Loc};

impl Lower<'_> {
    /// A statement without statements inside.
    pub(super) fn simple(&mut self, stmt: &Stmt, next: VertexId, places: &Places, scope: &mut Scope<'_>) {
        let from = self.start(stmt);
        let loc = stmt.loc;
        let op = match &stmt.kind {
            StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::Atomic(_) => {
                unreachable!("statements with statements inside are lowered by their own functions")
            }
            StmtKind::Skip | StmtKind::EndThread | StmtKind::AtomicBegin | StmtKind::AtomicEnd => Op::Skip,
            StmtKind::StartThread(Start::Goto(label)) => {
                scope.label(label, loc);
                Op::Skip
            }
            StmtKind::StartThread(Start::Call { callee, args }) => {
                self.call(&[], callee, args, None, loc, scope);
                Op::Skip
            }
            StmtKind::Print(values) => {
                for e in values {
                    scope.expr(e, loc);
                }
                Op::Skip
            }
            StmtKind::Assign { targets, values, constrain } => {
                if targets.len() != values.len() {
                    let (n, m) = (several(targets.len(), "target"), several(values.len(), "value"));
                    scope.report.error(loc, format!("an assignment of {m} to {n}"));
                }
                let constrain = scope.constrain(constrain.as_deref(), loc);
                let targets =
                    scope.targets(targets.iter().map(Some), loc, "set").into_iter().flatten().collect();
                Op::Assign { targets, values: values.iter().map(|e| scope.expr(e, loc)).collect(), constrain }
            }
            StmtKind::Dead(names) => {
                scope.dead(names, loc);
                let targets: Vec<VarId> =
                    scope.targets(names.iter().map(Some), loc, "dead").into_iter().flatten().collect();
                Op::Assign { values: vec![Expr::Star; targets.len()], targets, constrain: None }
            }
            StmtKind::Call { results, callee, args, constrain } => {
                self.call(results, callee, args, constrain.as_deref(), loc, scope)
            }
            StmtKind::Goto(labels) => {
                for label in labels {
                    if let Some(to) = scope.label(label, loc) {
                        self.edge(from, to, stmt.id, Op::Skip);
                    }
                }
                return;
            }
            StmtKind::Assume { cond, constrain } => {
                let cond = scope.expr(cond, loc);
                let constrain =
                    scope.constrain(constrain.as_deref(), loc).map(|e| Box::new(without_next(&e)));
                Op::Assume { cond, value: true, constrain }
            }
            StmtKind::Assert(cond) => {
                let cond = scope.expr(cond, loc);
                self.branch(stmt.id, from, cond, next, places.failure[&stmt.id]);
                return;
            }
            StmtKind::Return(values) => {
                match scope.returns {
                    Some(m) if m == values.len() => {}
                    Some(m) => {
                        let (n, owner) = (several(values.len(), "value"), &scope.owner);
                        let message = format!("a return of {n} from `{owner}`, which returns {m}");
                        scope.report.error(loc, message);
                    }
                    None => scope.report.error(loc, "`init` ends at its `end` and does not return"),
                }
                let values = values.iter().map(|e| scope.expr(e, loc)).collect();
                self.edge(from, places.exit, stmt.id, Op::Return(values));
                return;
            }
        };
        self.edge(from, next, stmt.id, op);
    }

    fn call(
        &mut self,
        results: &[Option<Ident>],
        callee: &Ident,
        args: &[Expr],
        constrain: Option<&Expr>,
        loc: Loc,
        scope: &mut Scope<'_>,
    ) -> Op {
        let constrain = scope.constrain(constrain, loc);
        let args: Vec<Expr<VarId>> = args.iter().map(|e| scope.expr(e, loc)).collect();
        let results = scope.targets(results.iter().map(Option::as_ref), loc, "set");
        let at = if callee.loc.0.is_some() { callee.loc } else { loc };
        let Some((id, proc)) = self.callee(&callee.name) else {
            scope.report.error(at, format!("procedure `{callee}` is not defined"));
            return Op::Skip;
        };
        if args.len() != proc.formals.len() {
            let (n, m) = (several(args.len(), "argument"), proc.formals.len());
            scope.report.error(at, format!("a call of `{callee}` with {n}, it takes {m}"));
        }
        if !results.is_empty() && results.len() != proc.returns {
            let (n, m) = (several(results.len(), "variable"), several(proc.returns, "value"));
            scope.report.error(at, format!("a call of `{callee}` that sets {n}, it returns {m}"));
        }
        Op::Call { callee: id, args, results, constrain }
    }
}

/// `1 value`, `2 values`.
fn several(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// An `assume` changes no variable, so the next value is the value.
fn without_next(e: &Expr<VarId>) -> Expr<VarId> {
    let mapped = e.try_map(&mut |v: &VarId, _| Ok::<_, std::convert::Infallible>(*v));
    let Ok(mut e) = mapped;
    let mut stack = vec![&mut e];
    while let Some(e) = stack.pop() {
        match e {
            Expr::Next(v) => *e = Expr::Var(*v),
            Expr::Const(_) | Expr::Star | Expr::Var(_) => {}
            Expr::Not(a) => stack.push(a),
            Expr::And(es) | Expr::Or(es) => stack.extend(es),
            Expr::Binary(_, a, b) | Expr::Choose(a, b) => stack.extend([&mut **a, &mut **b]),
            Expr::Ite(c, a, b) => stack.extend([&mut **c, &mut **a, &mut **b]),
        }
    }
    e
}
