//! Where a thread may have no turn any more, whatever the others do: its execution may end there.

use super::build::{Build, Moment, Place, Thread};
use super::instance::{Action, Step};
use crate::expr::{BinOp, Expr, Lvalue, UnOp};
use crate::program::Op;
use crate::types::{IntType, Type};

impl Build {
    /// Whether the thread may have no turn any more where it is, whatever the others do.
    pub(super) fn may_halt(&self, moment: &Moment, thread: usize) -> bool {
        let Thread { instance, place: Place::At(at) } = moment.threads[thread] else { return false };
        let graph = &self.graphs[instance].instance;
        let steps: Vec<&Step> = graph.nodes[at].out.iter().map(|n| &graph.steps[*n]).collect();
        let conditions: Vec<&Expr> = steps
            .iter()
            .filter_map(|s| match &s.action {
                Action::Op(Op::Assume(e)) | Action::Wait(e) => Some(e),
                _ => None,
            })
            .collect();
        let all = match conditions[..] {
            [] => true,
            [a, b] => a.is_opposite_of(b),
            [e] => steps.len() > 1 || self.truth(moment, e) == Some(true),
            _ => false,
        };
        !all || steps.iter().any(|s| self.may_be_undefined(moment, &self.named(moment, &s.action)))
    }

    /// Whether it is known which part of a variable that is.
    fn is_found(&self, moment: &Moment, lv: &Lvalue) -> bool {
        self.read(&moment.values, |reader| reader.place(lv)).is_some()
    }

    fn may_be_undefined(&self, moment: &Moment, action: &Action) -> bool {
        let wraps = self.program.signed_wrap;
        let mut found = false;
        let mut look = |e: &Expr| {
            e.walk(&mut |e| {
                found |= match e {
                    Expr::Load(lv) | Expr::AddrOf(lv) => !self.is_found(moment, lv),
                    _ if self.read(&moment.values, |reader| reader.value(e)).is_some() => false,
                    Expr::Unary(op, _, ty) => match op {
                        UnOp::Not | UnOp::BitNot => false,
                        UnOp::Neg => !wraps && matches!(ty, Type::Int(IntType { signed: true, .. })),
                        _ => true,
                    },
                    Expr::Binary(op, _, _, ty) => match op {
                        BinOp::Add | BinOp::Sub | BinOp::Mul => {
                            !wraps && matches!(ty, Type::Int(IntType { signed: true, .. }))
                        }
                        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::And | BinOp::Or => false,
                        op => !op.is_comparison() || e.children().any(|c| c.ty().is_ptr()),
                    },
                    Expr::Cast(inner, _) => matches!(inner.ty(), Type::Float(_)),
                    _ => false,
                };
            });
        };
        match action {
            // Where it fails, and that is not asked about.
            Action::Op(Op::Check(..)) | Action::Unmodelled(_) => true,
            Action::Op(op) => {
                crate::analysis::visit::evaluated(op, &mut look);
                let plain = matches!(
                    op,
                    Op::Skip | Op::Assign(..) | Op::Havoc(..) | Op::Assume(_) | Op::Alloc { .. }
                );
                let place = op.destination().is_some_and(|lv| !self.is_found(moment, lv));
                found || place || !plain && op.ends().is_none()
            }
            Action::Start { arg: e, .. } | Action::Wait(e) => {
                look(e);
                found
            }
            Action::Join { .. } => true,
            // A section is looked at as a whole.
            Action::Begin => true,
            Action::End | Action::Reset(_) => false,
        }
    }
}
