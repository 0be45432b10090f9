//! Errors that are reached around what refutes the first path: a condition that its contradiction needs is taken out of the
//! boolean program, which is then searched again. What refutes the path that is found there is something else, and one more
//! iteration would have been needed to find it. This costs no abstraction.
//!
//! Invariant: as for the errors of other checks, what is learned here comes on top of what the first path gives; that nothing is
//! reached without an edge says nothing.

use crate::event::Record;
use crate::path::{self, AbstractPath};
use crate::{Conclusion, Loop};
use bebop::Answer;
use bp::Cfg;
use c2bp::{Origin, Role};
use cmm::{EdgeId, Op, Path, PathStep, ProcId, Program};
use newton::Refuted;
use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Continue};
use std::time::Instant;

/// The last condition on the path that contradicts it, with others; the check at its end is none.
pub(crate) fn needed(program: &Program, path: &Path, refuted: &Refuted<'_>) -> Option<(ProcId, EdgeId)> {
    let edge = |step: usize| match path.steps[step] {
        PathStep::Edge(p, e) => Some((p, e)),
        PathStep::Enter(..) | PathStep::Leave(..) => None,
    };
    let is_condition = |(p, e): &(ProcId, EdgeId)| matches!(program.procs[*p].edges[*e].op, Op::Assume(_));
    refuted.core_steps().into_iter().rev().filter_map(edge).find(is_condition)
}

/// Takes an edge of the program out of the graph of its abstraction.
fn take_out(graph: &mut Cfg, origin: &Origin, (p, e): (ProcId, EdgeId)) {
    for edge in graph.edges.iter_mut() {
        let stands_for =
            |place: &c2bp::StmtOrigin| place.role == Role::Edge && (place.proc, place.edge) == (p, Some(e));
        if origin.stmt(edge.stmt).is_some_and(stands_for) {
            edge.op = bp::Op::blocked();
        }
    }
}

impl Loop<'_> {
    /// Learns from paths to failing checks without the edge, then without one that refutes that path, and so on. More of them are
    /// looked for the next time if all of these gave something new, fewer if one did not.
    pub(crate) fn refine_around(
        &mut self,
        origin: &Origin,
        mut graph: Cfg,
        mut edge: (ProcId, EdgeId),
        record: &mut Record,
    ) -> ControlFlow<Conclusion> {
        let Some(refiner) = self.refiner_of_others() else { return Continue(()) };
        let started = Instant::now();
        let predicates = path::predicates(origin, &graph);
        let (mut number, mut idle) = (0, 0);
        while number < self.around && idle == 0 && !self.cx.stop.is_set() {
            take_out(&mut graph, origin, edge);
            let options = bebop::Options::new(graph.failures(), self.cx.stop.flag);
            let Ok(outcome) = bebop::check(&graph, &options) else { break };
            let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer else { break };
            let Some(error) = AbstractPath::new(origin, &predicates, trace, &mut BTreeSet::new()) else {
                break;
            };
            number += 1;
            let others = record.refinement.as_ref().map_or(0, |refined| refined.others);
            let another = self.refine_another(&error, 1 + others + number, refiner, record)?;
            idle += usize::from(!another.is_new);
            let Some(next) = another.needed else { break };
            edge = next;
        }
        self.around = newton::next_paths(self.around, idle);
        if let Some(refined) = &mut record.refinement {
            refined.around = number;
            refined.time += started.elapsed();
        }
        Continue(())
    }
}
