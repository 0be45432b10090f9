//! Error paths that avoid the conflict that refutes the first path: a condition that its contradiction needs is
//! removed from the boolean program, which is then searched again. A path found there is refuted by something else,
//! and one more iteration would have been needed to find it. This costs no abstraction. Paths around the last
//! condition of each path before come first, then those around its other conditions. Where no path avoids such a
//! condition, as in a loop that reaches it in each iteration, the search is for one that takes another branch first.
//!
//! Invariant: as for the errors of other checks, what is learned here comes on top of what the first path gives; that
//! no error is reached without an edge shows nothing.

use crate::cegar::event::Record;
use crate::cegar::path::{self, AbstractPath};
use crate::cegar::unroll::is_hard_for_predicates;
use crate::cegar::{Conclusion, Loop};
use bebop::Answer;
use bp::Cfg;
use c2bp::{Origin, Role};
use encoding::IntMode;
use ir::{EdgeId, Op, Path, PathStep, ProcId, Program};
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

/// How executions are to go around conditions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    /// They take none of the edges.
    All(BTreeSet<(ProcId, EdgeId)>),
    /// In the procedure of the last one they take another edge in the place of the first, from then on another one in the place of the
    /// second, and so on, as in iterations of a loop. Those of other procedures are not taken.
    InTurn(Vec<(ProcId, EdgeId)>),
}

impl Around {
    /// And around this one.
    fn and(&self, edge: (ProcId, EdgeId)) -> Around {
        let mut out = self.clone();
        match &mut out {
            Around::All(edges) => _ = edges.insert(edge),
            Around::InTurn(edges) => edges.push(edge),
        }
        out
    }

    /// The abstraction's graph in which executions do so.
    fn graph(&self, graph: &Cfg, origin: &Origin, program: &Program) -> Cfg {
        let edges_of = |(p, e): (ProcId, EdgeId)| -> BTreeSet<bp::cfg::EdgeId> {
            let stands_for = |place: &c2bp::StmtOrigin| {
                place.role == Role::Edge && (place.proc, place.edge) == (p, Some(e))
            };
            let edges = graph.edges.iter_enumerated();
            edges.filter(|(_, edge)| origin.stmt(edge.stmt).is_some_and(stands_for)).map(|(e, _)| e).collect()
        };
        let mut out = graph.clone();
        let mut close = |edge| {
            edges_of(edge).into_iter().for_each(|edge| out.edges[edge].op = bp::Op::blocked());
        };
        let edges = match self {
            Around::All(edges) => {
                edges.iter().copied().for_each(close);
                return out;
            }
            Around::InTurn(edges) => edges,
        };
        let last = edges.last().map(|(p, _)| *p);
        edges.iter().copied().filter(|(p, _)| Some(*p) != last).for_each(&mut close);
        let own = edges.iter().filter(|(p, _)| Some(*p) == last);
        let stages: Vec<bp::cfg::Stage> = own
            .map(|&(p, e)| {
                let all = &program.procs[p].edges;
                let beside =
                    all.iter_enumerated().filter(|(other, edge)| *other != e && edge.src == all[e].src);
                let ends = beside.flat_map(|(other, _)| edges_of((p, other))).collect();
                bp::cfg::Stage { closed: edges_of((p, e)), ends }
            })
            .collect();
        let closed = stages.iter().flat_map(|stage| &stage.closed).next();
        match closed.map(|edge| graph.vertices[graph.edges[*edge].from].proc) {
            Some(proc) => out.in_stages(proc, &stages),
            None => out,
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
        let mut next: VecDeque<Around> =
            edges.into_iter().map(|e| Around::All(BTreeSet::from([e]))).collect();
        let mut searched = BTreeSet::new();
        while let Some(around) = next.pop_front() {
            let is_enough = number == self.around || idle == IDLE || searched.len() == SEARCHES * self.around;
            if is_enough || self.cx.stop.is_set() {
                break;
            }
            if !searched.insert(around.clone()) {
                continue;
            }
            let graph = around.graph(&graph, origin, self.cx.task.program);
            let options = bebop::Options::new(graph.failures(), self.cx.stop.flag);
            let Ok(outcome) = bebop::check(&graph, &options) else { break };
            let Answer::Reachable { trace: Some(trace), .. } = &outcome.answer else {
                if let Around::All(edges) = around
                    && self.goes_in_turn()
                {
                    next.push_front(Around::InTurn(edges.into_iter().collect()));
                }
                continue;
            };
            let Some(error) = AbstractPath::new(origin, &predicates, trace, &mut BTreeSet::new()) else {
                continue;
            };
            if let Around::InTurn(_) = around
                && let Some(id) = newton::identity(self.cx.task.program, self.cx.task.oracle, &error.path)
                && !self.turns.insert(id)
            {
                // It differs from one before in how often it goes round loops: that would not end.
                idle += 1;
                continue;
            }
            number += 1;
            let others = record.refinement.as_ref().map_or(0, |refined| refined.others + refined.by_calls);
            let another = self.refine_another(&error, 1 + others + number, refiner, record)?;
            idle += usize::from(!another.is_new);
            let mut further = another.needed.into_iter().map(|edge| around.and(edge));
            let first = further.next();
            next.extend(further);
            first.into_iter().for_each(|first| next.push_front(first));
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

    /// Whether paths around conditions in turn are looked for: more values of what predicates seldom tell make abstractions that take
    /// long.
    fn goes_in_turn(&self) -> bool {
        self.cx.task.mode == IntMode::Math && !is_hard_for_predicates(self.cx.task.program)
    }
}
