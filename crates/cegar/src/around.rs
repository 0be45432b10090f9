//! Errors that are reached around what refutes the first path: a condition that its contradiction needs is taken out of the
//! boolean program, which is then searched again. What refutes the path that is found there is something else, and one more
//! iteration would have been needed to find it. This costs no abstraction. First come paths around the last condition of each path
//! before, then those around its other conditions.
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
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow::{self, Continue};
use std::time::Instant;

/// How many paths are looked for in the first iteration, how many may give nothing new, and in how many searches for each path.
pub(crate) const FIRST: usize = 4;
const IDLE: usize = 2;
const SEARCHES: usize = 3;

/// The conditions on the path that contradict each other, the last one first; the check at its end is none.
pub(crate) fn needed(program: &Program, path: &Path, refuted: &Refuted<'_>) -> Vec<(ProcId, EdgeId)> {
    let edge = |step: usize| match path.steps[step] {
        PathStep::Edge(p, e) => Some((p, e)),
        PathStep::Enter(..) | PathStep::Leave(..) => None,
    };
    let is_condition = |(p, e): &(ProcId, EdgeId)| matches!(program.procs[*p].edges[*e].op, Op::Assume(_));
    refuted.core_steps().into_iter().rev().filter_map(edge).filter(is_condition).collect()
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
    /// Learns from paths to failing checks without one of the edges, without one that refutes such a path as well, and so on. More of
    /// them are looked for the next time if all of these gave something new, fewer if one did not.
    pub(crate) fn refine_around(
        &mut self,
        origin: &Origin,
        graph: Cfg,
        edges: Vec<(ProcId, EdgeId)>,
        record: &mut Record,
    ) -> ControlFlow<Conclusion> {
        let Some(refiner) = self.refiner_of_others() else { return Continue(()) };
        let started = Instant::now();
        let predicates = path::predicates(origin, &graph);
        let (mut number, mut idle) = (0, 0);
        let mut without: VecDeque<BTreeSet<(ProcId, EdgeId)>> =
            edges.into_iter().map(|edge| BTreeSet::from([edge])).collect();
        let mut searched = BTreeSet::new();
        while let Some(edges) = without.pop_front() {
            let is_enough = number == self.around || idle == IDLE || searched.len() == SEARCHES * self.around;
            if is_enough || self.cx.stop.is_set() {
                break;
            }
            if !searched.insert(edges.clone()) {
                continue;
            }
            let mut graph = graph.clone();
            edges.iter().for_each(|edge| take_out(&mut graph, origin, *edge));
            let options = bebop::Options::new(graph.failures(), self.cx.stop.flag);
            let Ok(outcome) = bebop::check(&graph, &options) else { break };
            let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer else { continue };
            let Some(error) = AbstractPath::new(origin, &predicates, trace, &mut BTreeSet::new()) else {
                continue;
            };
            number += 1;
            let others = record.refinement.as_ref().map_or(0, |refined| refined.others + refined.by_calls);
            let another = self.refine_another(&error, 1 + others + number, refiner, record)?;
            idle += usize::from(!another.is_new);
            let mut further = another.needed.into_iter().map(|edge| {
                let mut edges = edges.clone();
                edges.insert(edge);
                edges
            });
            let next = further.next();
            without.extend(further);
            next.into_iter().for_each(|next| without.push_front(next));
        }
        if number > 0 {
            self.around = newton::next_paths(self.around, idle);
        }
        if let Some(refined) = &mut record.refinement {
            refined.around = number;
            refined.time += started.elapsed();
        }
        Continue(())
    }
}
