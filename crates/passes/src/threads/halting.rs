//! Where a thread may halt for ever, whatever the others do: its execution may end there.

use super::build::{Build, Moment, Place, Thread};
use super::deadlocks::Can;
use super::instance::{Action, Step};
use ir::expr::{BinOp, Expr, Lvalue, UnOp};
use ir::program::Op;
use ir::types::{IntType, Type};

/// Most steps of an atomic section that are followed.
const LONGEST: usize = 100;

impl Build {
    /// Whether the thread may halt where it is, whatever the others do.
    pub(super) fn may_halt(&self, moment: &Moment, thread: usize) -> bool {
        let Thread { instance, place: Place::At(at), .. } = moment.threads[thread] else { return false };
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
        !all || steps.iter().any(|s| match s.action {
            Action::Begin => self.may_halt_within(moment, thread, s.dst),
            _ => self.may_be_undefined(moment, thread, &self.named(moment, &s.action)),
        })
    }

    /// Whether the execution may end in the atomic section that a step into this node begins; true unless each
    /// of its steps is known to pass.
    fn may_halt_within(&self, moment: &Moment, thread: usize, from: usize) -> bool {
        let graph = &self.graphs[moment.threads[thread].instance].instance;
        let (mut moment, mut at, mut depth) = (moment.clone(), from, 1);
        for _ in 0..LONGEST {
            moment.threads[thread].place = Place::At(at);
            let [n] = graph.nodes[at].out[..] else { return true };
            let step = &graph.steps[n];
            let action = self.named(&moment, &step.action);
            let passes = match &action {
                Action::Op(Op::Assume(e)) | Action::Wait(e) => self.truth(&moment, e) == Some(true),
                Action::Start { .. } => false,
                _ => true,
            };
            if !passes || self.may_be_undefined(&moment, thread, &action) {
                return true;
            }
            match &action {
                Action::Op(op) => self.effect(&mut moment, op),
                Action::Begin => depth += 1,
                Action::End if depth == 1 => return false,
                Action::End => depth -= 1,
                Action::Reset(vars) => {
                    vars.iter().for_each(|v| moment.values.forget(&self.tracked.of(*v)));
                }
                _ => {}
            }
            at = step.dst;
        }
        true
    }

    /// Whether it is known which part of a variable that is.
    fn is_found(&self, moment: &Moment, lv: &Lvalue) -> bool {
        self.read(&moment.values, |reader| reader.place(lv)).is_some()
    }

    fn may_be_undefined(&self, moment: &Moment, thread: usize, action: &Action) -> bool {
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
            // Where it fails, and that is not checked.
            Action::Op(Op::Check(_, e)) => self.truth(moment, e) != Some(true),
            Action::Unmodelled(_) => true,
            Action::Op(op) => {
                ir::visit::evaluated(op, &mut look);
                let plain = matches!(
                    op,
                    Op::Skip | Op::Assign(..) | Op::Havoc(..) | Op::Assume(_) | Op::Alloc { .. }
                );
                let place = op.destination().is_some_and(|lv| !self.is_found(moment, lv));
                found || place || !plain && op.ends().is_none()
            }
            Action::Start { dest, arg: e, .. } | Action::Join { dest, id: e } => {
                look(e);
                let waits = || !matches!(self.can_join(moment, thread, e), Can::Always);
                found
                    || dest.as_ref().is_some_and(|lv| !self.is_found(moment, lv))
                    || matches!(action, Action::Join { .. }) && waits()
            }
            Action::Wait(e) => {
                look(e);
                found
            }
            Action::Begin | Action::End | Action::Reset(_) => false,
        }
    }
}
