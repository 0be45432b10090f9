//! What a step of a trace shows.

use super::machine::Machine;
use super::{TraceStep, Value};
use crate::expr::{Expr, Lvalue};
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
            e.loads(&mut |lv| lvalues.push(lv));
        }
        let mut values: Vec<(String, Value)> = vec![];
        self.without_inputs(|m| {
            for lv in lvalues {
                let Ok(v) = m.state.load(lv) else { continue };
                let text = print::lvalue(m.state.program, lv);
                if values.iter().all(|(seen, _)| *seen != text) {
                    values.push((text, m.state.show(v)));
                }
            }
        });
        values
    }

    /// Looks at the state without an effect on it: memory without a value stays so.
    pub(super) fn without_inputs(&mut self, look: impl FnOnce(&mut Self)) {
        let inputs = self.state.inputs.take();
        look(self);
        self.state.inputs = inputs;
    }
}
