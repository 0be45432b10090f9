//! Calls in the unrolling: the callee's executions stand in the place of the call.

use super::{Arrival, DEPTH, Flow, Unroller};
use crate::queries::Possible;
use ir::{EdgeId, PathStep, ProcId};

impl<'a> Unroller<'a, '_> {
    pub(super) fn call(
        &mut self,
        p: ProcId,
        e: EdgeId,
        q: ProcId,
        place: usize,
        mut flow: Flow<'a>,
    ) -> Option<Option<Flow<'a>>> {
        if self.induction.is_some() && self.walk.enc.oracle.is_recursive(q) {
            return self.any_activations(p, e, q, flow);
        }
        if self.clauses.is_some() && self.walk.enc.oracle.is_recursive(q) {
            return None;
        }
        if self.depth >= DEPTH {
            self.cut |= self.possible(flow.guard.terms())? != Possible::No;
            return Some(None);
        }
        self.depth += 1;
        self.with_state(&mut flow, |unroller| unroller.walk.enter(p, e, q));
        if !self.assumed(&mut flow) {
            self.depth -= 1;
            return Some(None);
        }
        flow.from = vec![Arrival { place, step: PathStep::Enter(p, e, q), guard: flow.guard.clone() }];
        let back = self.procedure(q, flow)?;
        self.depth -= 1;
        let Some(mut flow) = back else { return Some(None) };
        let exit = self.places.len();
        self.places.push(std::mem::take(&mut flow.from));
        self.with_state(&mut flow, |unroller| unroller.walk.leave(p, e, q));
        if !self.assumed(&mut flow) {
            return Some(None);
        }
        flow.from = vec![Arrival { place: exit, step: PathStep::Leave(p, e, q), guard: flow.guard.clone() }];
        Some(Some(flow))
    }
}
