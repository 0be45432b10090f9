//! The values that a step of a trace shows.

use super::machine::Machine;
use super::values::Val;
use super::{Seen, TraceStep};
use ir::expr::{Expr, Lvalue};
use ir::program::{Edge, Op, PathStep, ProcId, Program};
use ir::types::Type;

/// At most this many edges behind a check are searched for the operation that it guards.
const GUARDED: usize = 100;

impl Machine<'_, '_> {
    /// Whether further steps are kept.
    pub(super) fn tracing(&self) -> bool {
        self.trace.len() < self.limits.trace
    }

    pub(super) fn keep(&mut self, step: PathStep, values: Vec<Seen>) {
        if self.tracing() {
            self.trace.push(TraceStep { step, values });
        }
    }

    /// A location with its value, and with the string that it points to.
    pub(super) fn seen(&mut self, place: &Lvalue, value: Val) -> Seen {
        let characters = matches!(place.ty.pointee(), Some(Type::Int(t)) if t.bits == 8);
        let text = match value {
            Val::Ptr(p) if characters => self.state.memory.text_at(p, Seen::LONGEST),
            _ => None,
        };
        Seen { place: place.clone(), value: self.state.show(value), text }
    }

    /// The values of the scalars that the expressions read, each once; those that have none are left out.
    pub(super) fn loads(&mut self, read: &[&Expr]) -> Vec<Seen> {
        let mut lvalues: Vec<&Lvalue> = vec![];
        for e in read {
            e.loads(&mut |lv| lvalues.push(lv));
        }
        let mut values: Vec<Seen> = vec![];
        self.without_inputs(|m| {
            for lv in lvalues {
                if values.iter().any(|seen| seen.place == *lv) {
                    continue;
                }
                if let Ok(v) = m.state.load(lv) {
                    values.push(m.seen(lv, v));
                }
            }
        });
        values
    }

    /// The values that a check shows: for the program's own those that its condition reads; for another one,
    /// when it fails, those that the operation behind it reads.
    pub(super) fn seen_by_check(&mut self, edge: &Edge, condition: &Expr, holds: bool) -> Vec<Seen> {
        if !self.tracing() {
            return vec![];
        }
        if !edge.kind.is_internal() {
            return self.loads(&[condition]);
        }
        match guarded(self.state.program, self.state.frame.proc, edge) {
            Some(op) if !holds => {
                let mut read = op.operands();
                read.extend(op.destination().into_iter().flat_map(Lvalue::children));
                let mut values = self.loads(&read);
                values.retain(|seen| !self.state.is_unread(&seen.place));
                values
            }
            _ => vec![],
        }
    }

    /// Looks at the state without an effect on it: memory without a value stays so.
    pub(super) fn without_inputs(&mut self, look: impl FnOnce(&mut Self)) {
        let inputs = self.state.inputs.take();
        look(self);
        self.state.inputs = inputs;
    }
}

/// The operation that the check stands before: the first one of the source from there on.
fn guarded<'p>(program: &'p Program, proc: ProcId, check: &Edge) -> Option<&'p Op> {
    let edges = &program.procs[proc].edges;
    let mut at = check.dst;
    for _ in 0..GUARDED {
        let next = edges.iter().find(|e| e.src == at)?;
        let works = !matches!(next.op, Op::Skip | Op::Check(..) | Op::Inspect { .. });
        if works && (!next.kind.is_internal() || next.span == check.span) {
            return Some(&next.op);
        }
        at = next.dst;
    }
    None
}
