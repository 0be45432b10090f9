//! What a step of a trace shows.

use super::machine::Machine;
use super::{TraceStep, Value};
use crate::expr::{Access, Base, Expr, Lvalue};
use crate::print;
use crate::program::PathStep;

impl Machine<'_, '_> {
    /// Whether further steps are kept.
    pub(super) fn tracing(&self) -> bool {
        self.trace.len() < self.limits.trace
    }

    pub(super) fn keep(&mut self, step: PathStep, values: Vec<(String, Value)>) {
        if self.tracing() {
            self.trace.push(TraceStep { step, values });
        }
    }

    /// The values of the scalars that the expressions read, each once; those that have none are left out.
    pub(super) fn loads(&mut self, read: &[&Expr]) -> Vec<(String, Value)> {
        let mut lvalues: Vec<&Lvalue> = vec![];
        for e in read {
            collect_loads(e, &mut lvalues);
        }
        let inputs = self.state.inputs.take();
        let mut values: Vec<(String, Value)> = vec![];
        for lv in lvalues {
            let Ok(v) = self.state.load(lv) else { continue };
            let text = print::lvalue(self.state.program, lv);
            if values.iter().all(|(seen, _)| *seen != text) {
                values.push((text, self.state.show(v)));
            }
        }
        self.state.inputs = inputs;
        values
    }
}

/// The lvalues whose loads occur in the expression, inner ones after outer ones.
fn collect_loads<'e>(e: &'e Expr, out: &mut Vec<&'e Lvalue>) {
    let inside = |lv: &'e Lvalue, out: &mut Vec<&'e Lvalue>| {
        if let Base::Deref(p) = &lv.base {
            collect_loads(p, out);
        }
        for access in &lv.path {
            if let Access::Index(i) = access {
                collect_loads(i, out);
            }
        }
    };
    match e {
        Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => {}
        Expr::Load(lv) => {
            out.push(lv);
            inside(lv, out);
        }
        Expr::AddrOf(lv) => inside(lv, out),
        Expr::Unary(_, e, _) | Expr::Cast(e, _) | Expr::Old(e) => collect_loads(e, out),
        Expr::Binary(_, l, r, _) => {
            collect_loads(l, out);
            collect_loads(r, out);
        }
        Expr::Cond(c, a, b) => {
            collect_loads(c, out);
            collect_loads(a, out);
            collect_loads(b, out);
        }
    }
}
