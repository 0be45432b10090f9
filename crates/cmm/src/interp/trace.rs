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
