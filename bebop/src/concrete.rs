//! From a path to a run: full states, forwards. The path found backwards gives the live values of each state;
//! here every choice is made, dead variables included, so that each state follows from the one before.
//!
//! Runs inside calls are made from a list of jobs, one for every way in which a procedure is entered and left.
//! A job uses only summaries logged before the one that it explains, so the segments do not hold each other in
//! a circle.

mod moves;

use crate::Stopped;
use crate::dont_care::{self, Care};
use crate::machine::Transfer;
use crate::path_edges::PathEdges;
use crate::rings::{Goal, Hop, Rings, Search, Start, State};
use crate::space::Slot;
use crate::summary_edges::Summaries;
use base::IndexVec;
use bdd::{Cube, Engine};
use bp::{EdgeId, Op, ProcId, VarId, VertexId};
use check::{Segment, SegmentId, Step, StepKind, Trace, Valuation, fold_missing, least_length};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A point of a run: a full state, and how it goes on.
pub(crate) struct RunPoint<B> {
    pub(crate) vertex: VertexId,
    pub(crate) state: State,
    pub(crate) movement: Movement<B>,
}

/// How a run goes on.
pub(crate) enum Movement<B> {
    /// By an edge that is not a call.
    Step(EdgeId),
    /// Over a call.
    Over {
        edge: EdgeId,
        inside: SegmentId,
        /// The summaries used, joined with arguments and results.
        relation: B,
        /// The current, next and scratch values of the step.
        values: Cube,
    },
    /// Into a call.
    Into(EdgeId),
    /// Not at all.
    End,
}

/// How a procedure is entered and left: the slots of globals and formals before, of globals and results after.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SummaryEdge {
    proc: ProcId,
    before: Vec<bool>,
    after: Vec<bool>,
}

/// The last of the calls that a trace goes into and does not come back from, if there is one.
pub(crate) fn last_entered(trace: &Trace) -> Option<EdgeId> {
    let (mut segment, mut last) = (trace.root, None);
    while let Some(step) = trace.segments[segment].steps.last() {
        let StepKind::Enter(inside) = step.kind else { break };
        (segment, last) = (inside, Some(step.edge));
    }
    last
}

/// A path, and the states along it.
type Followed<B> = (Vec<Rc<Hop>>, Vec<Rc<RunPoint<B>>>);

/// Makes traces.
pub(crate) struct Tracer<'t, 'a, E: Engine> {
    edges: &'t mut PathEdges<'a, E>,
    summaries: Summaries<E::Bdd>,
    segments: IndexVec<SegmentId, Option<Segment>>,
    summary_edges: FxHashMap<SummaryEdge, SegmentId>,
    jobs: std::collections::VecDeque<(SegmentId, SummaryEdge)>,
    scopes: IndexVec<ProcId, Option<Arc<[VarId]>>>,
    steps: usize,
    /// How closely runs are examined for values that do not matter.
    care: Care,
    /// The path followed last from the program's start, and the states along it.
    followed: Followed<E::Bdd>,
}

impl<'t, 'a, E: Engine> Tracer<'t, 'a, E> {
    pub(crate) fn new(edges: &'t mut PathEdges<'a, E>) -> Self {
        let procs = edges.machine.cfg.procs.len();
        Tracer {
            edges,
            summaries: Summaries::new(),
            segments: IndexVec::new(),
            summary_edges: FxHashMap::default(),
            jobs: std::collections::VecDeque::new(),
            scopes: IndexVec::from_elem(None, procs),
            steps: 0,
            care: Care::Exact,
            followed: (vec![], vec![]),
        }
    }

    /// A shortest hierarchical trace to one of the goals, with runs inside calls as long as there are at most
    /// `max_steps` steps in all segments together, and may be at most `max_flat_steps` when all calls are expanded.
    /// `None` when no goal was reached.
    pub(crate) fn trace(
        mut self,
        goals: &IndexVec<VertexId, bool>,
        max_steps: usize,
        max_flat_steps: usize,
    ) -> Result<Option<Trace>, Stopped> {
        let mut search = self.whole_search();
        let Some(path) = self.path(&mut search, &Goal::Any(goals))? else { return Ok(None) };
        let (root, target) = self.begin(&path)?;
        let mut expanded = 0usize;
        while let Some((segment, summary)) = self.jobs.pop_front() {
            if self.steps > max_steps {
                break;
            }
            self.expand(segment, &summary)?;
            // Checked seldom enough to cost little: each time there are twice as many segments.
            expanded += 1;
            if expanded.is_power_of_two() && least_length(&self.segments, root) > max_flat_steps {
                break;
            }
        }
        Ok(self.finish(&[(root, target)])?.pop())
    }

    /// The same for each of the vertices that is reached, with `max_steps` steps for each. They have the segments in
    /// common, and one search finds them all.
    pub(crate) fn traces(mut self, vertices: &[VertexId], max_steps: usize) -> Result<Vec<Trace>, Stopped> {
        let mut search = self.whole_search();
        search.again = true;
        let mut roots = vec![];
        let everything = self.edges.machine.engine.constant(true);
        for vertex in vertices {
            let goal = Goal::Exactly(*vertex, everything.clone());
            if let Some(path) = self.path(&mut search, &goal)? {
                roots.push(self.further(&path, max_steps)?);
            }
        }
        self.finish(&roots)
    }

    /// The same to a vertex by some calls of its procedure: the shortest way to each call from which it is reached, and from there the
    /// shortest one. At most `most`.
    pub(crate) fn traces_by_calls(
        mut self,
        vertex: VertexId,
        calls: &[EdgeId],
        most: usize,
        max_steps: usize,
    ) -> Result<Vec<Trace>, Stopped> {
        let cfg = self.edges.machine.cfg;
        let everything = self.edges.machine.engine.constant(true);
        let mut search = self.whole_search();
        search.again = true;
        let mut roots = vec![];
        for edge in calls {
            if roots.len() == most {
                break;
            }
            let from = cfg.edges[*edge].from;
            let before = self.edges.at(from);
            let Transfer::Call(call) = self.edges.machine.transfer(*edge) else { continue };
            let states = self.edges.machine.enter(&call, &before);
            let entry = cfg.procs[call.callee].entry;
            let mut inside = Search::new(Start { vertex: entry, states, enters: false, before: u64::MAX });
            let goal = Goal::Exactly(vertex, everything.clone());
            let Some(behind) = self.path(&mut inside, &goal)? else { continue };
            let Some(mut path) = self.path(&mut search, &Goal::Entering(*edge, &behind[0].guide))? else {
                continue;
            };
            let guide = path.pop().expect("a path has an end").guide.clone();
            path.push(Rc::new(Hop { vertex: from, guide, edge: Some(*edge), enters: true }));
            path.extend(behind);
            roots.push(self.further(&path, max_steps)?);
        }
        self.finish(&roots)
    }

    fn path(
        &mut self,
        search: &mut Search<E::Bdd>,
        goal: &Goal<'_, E::Bdd>,
    ) -> Result<Option<Vec<Rc<Hop>>>, Stopped> {
        Rings::new(self.edges, &mut self.summaries, search).path(goal)
    }

    /// A trace beside others, with `max_steps` steps.
    fn further(&mut self, path: &[Rc<Hop>], max_steps: usize) -> Result<(SegmentId, VertexId), Stopped> {
        let most = self.steps.saturating_add(max_steps);
        self.care = Care::Last;
        let begun = self.begin(path);
        self.care = Care::Exact;
        while self.steps <= most
            && let Some((segment, summary)) = self.jobs.pop_front()
        {
            self.expand(segment, &summary)?;
        }
        begun
    }

    fn whole_search(&self) -> Search<E::Bdd> {
        let cfg = self.edges.machine.cfg;
        let states = self.edges.machine.engine.constant(true);
        let vertex = cfg.procs[cfg.entry].entry;
        Search::new(Start { vertex, states, enters: true, before: u64::MAX })
    }

    /// The first segment of the trace of a path, with its target.
    fn begin(&mut self, path: &[Rc<Hop>]) -> Result<(SegmentId, VertexId), Stopped> {
        let target = path.last().expect("a path has an end").vertex;
        let state = path[0].guide.clone();
        let root = self.reserve();
        self.run(root, path, state, u64::MAX, (vec![], vec![]))?;
        Ok((root, target))
    }

    fn finish(self, roots: &[(SegmentId, VertexId)]) -> Result<Vec<Trace>, Stopped> {
        self.edges.machine.alive()?;
        let (segments, new_ids) = fold_missing(self.segments);
        let segments = Arc::new(segments);
        let trace = |(root, target): &(SegmentId, VertexId)| Trace {
            segments: segments.clone(),
            root: new_ids[*root].expect("the first segment of a trace is made first"),
            target: *target,
        };
        Ok(roots.iter().map(trace).collect())
    }

    fn reserve(&mut self) -> SegmentId {
        self.segments.push(None)
    }

    fn scope(&mut self, proc: ProcId) -> Arc<[VarId]> {
        let cfg = self.edges.machine.cfg;
        self.scopes[proc].get_or_insert_with(|| cfg.scope(proc).collect()).clone()
    }

    fn valuation(&mut self, proc: ProcId, state: &State) -> Valuation {
        let scope = self.scope(proc);
        let values = scope.iter().map(|v| state[self.edges.machine.space.slot(*v).0]).collect();
        Valuation::new(scope, values)
    }

    /// Finds the run of a job and records it.
    fn expand(&mut self, segment: SegmentId, summary: &SummaryEdge) -> Result<(), Stopped> {
        let cfg = self.edges.machine.cfg;
        let own = &cfg.procs[summary.proc];
        let mut state = vec![false; self.edges.machine.space.slots()];
        let entering: Vec<VarId> = cfg.globals.iter().chain(&own.formals).copied().collect();
        for (v, value) in entering.iter().zip(&summary.before) {
            state[self.edges.machine.space.slot(*v).0] = *value;
        }
        let machine = &mut self.edges.machine;
        let globals = machine.mod_ref.procs[summary.proc].globals.clone();
        let playing = globals.iter().chain(&own.formals).filter(|v| machine.is_live(own.entry, **v));
        let entry: Cube = playing.map(|v| current(machine.space.slot(*v), &state)).collect();
        let states = machine.engine.cube(&entry);
        let mut exit: Cube = vec![];
        for (g, value) in cfg.globals.iter().zip(&summary.after) {
            if globals.contains(g) {
                exit.push((machine.space.slot(*g).current(), *value));
            }
        }
        let results: Vec<Slot> = machine.space.results(summary.proc).collect();
        for (slot, value) in results.iter().zip(&summary.after[cfg.globals.len()..]) {
            exit.push((slot.current(), *value));
        }
        let goal = Goal::Exactly(own.exit, machine.engine.cube(&exit));
        let before = self.found_as(summary, &state, &exit)?;
        let mut search = Search::new(Start { vertex: own.entry, states, enters: false, before });
        let path = Rings::new(self.edges, &mut self.summaries, &mut search).path(&goal)?;
        let path = self
            .edges
            .machine
            .found(path, "a summary in the log comes from a path that uses earlier summaries")?;
        // The values of locals at the entry are those of the path.
        for v in &own.locals {
            let slot = self.edges.machine.space.slot(*v).0;
            state[slot] = path[0].guide[slot];
        }
        // Globals that play no part inside keep their values and change nothing of the path.
        let playing = globals.iter().chain(&own.formals);
        let start = playing.map(|v| current(self.edges.machine.space.slot(*v), &state)).collect();
        self.run(segment, &path, state, before, (start, exit))
    }

    /// The number of the log entry that first holds the summary.
    fn found_as(&mut self, summary: &SummaryEdge, state: &State, exit: &Cube) -> Result<u64, Stopped> {
        let machine = &mut self.edges.machine;
        let mod_ref = &machine.mod_ref.procs[summary.proc];
        let mut values: Cube = exit.clone();
        values.extend(mod_ref.changed_inputs.iter().map(|v| {
            let slot = machine.space.slot(*v);
            (slot.entry(), state[slot.0])
        }));
        values.extend(mod_ref.kept_inputs.iter().map(|v| current(machine.space.slot(*v), state)));
        values.sort_unstable();
        values.dedup();
        let mut log = self.edges.log[summary.proc].iter();
        let found = log.find(|logged| {
            let rest = machine.engine.restrict(&logged.summary, &values);
            machine.engine.is_constant(&rest) == Some(true)
        });
        let number = found.map(|logged| logged.number);
        machine.found(number, "a summary is taken from the summaries of the log")
    }

    /// Follows the path from `state` and records the segments: `segment` first, then one for each call that is
    /// entered for good. Calls stepped over use summaries logged before `before`; `end` is what must hold at
    /// the end.
    fn run(
        &mut self,
        segment: SegmentId,
        path: &[Rc<Hop>],
        state: State,
        before: u64,
        (start, end): (Cube, Cube),
    ) -> Result<(), Stopped> {
        let points = self.follow(path, state, before)?;
        self.steps += points.len();
        let constrained =
            dont_care::constrained(&mut self.edges.machine, &points, (&start, &end), self.care)?;
        self.record(segment, &points, constrained.as_deref());
        if self.care == Care::Last {
            self.followed = (path.to_vec(), points);
        }
        Ok(())
    }

    /// The states along the path.
    fn follow(
        &mut self,
        path: &[Rc<Hop>],
        mut state: State,
        before: u64,
    ) -> Result<Vec<Rc<RunPoint<E::Bdd>>>, Stopped> {
        let mut points = self.followed_before(path);
        if let Some(last) = points.pop() {
            state.clone_from(&last.state);
        }
        for (i, hop) in path.iter().enumerate().skip(points.len()) {
            self.edges.machine.alive()?;
            let mut now = state.clone();
            let (Some(edge), Some(next)) = (hop.edge, path.get(i + 1)) else {
                let machine = &self.edges.machine;
                let proc = machine.cfg.vertices[hop.vertex].proc;
                if machine.mod_ref.procs[proc].called {
                    // An exit reached without `return` gives any values: those that the caller wants.
                    for slot in machine.space.results(proc) {
                        now[slot.0] = hop.guide[slot.0];
                    }
                }
                points.push(Rc::new(RunPoint { vertex: hop.vertex, state: now, movement: Movement::End }));
                break;
            };
            let transfer = self.edges.machine.transfer(edge);
            let movement = match &transfer {
                Transfer::Step(step) => {
                    self.take_step(edge, step, &mut state, next)?;
                    Movement::Step(edge)
                }
                Transfer::Call(call) if hop.enters => {
                    self.enter(call, &mut state, next)?;
                    Movement::Into(edge)
                }
                Transfer::Call(call) => self.step_over(edge, call, &mut state, next, before)?,
            };
            points.push(Rc::new(RunPoint { vertex: hop.vertex, state: now, movement }));
        }
        Ok(points)
    }

    /// The states along the part that the path has in common with the one before. A state follows from where paths
    /// have been and go next, so those of the two are the same.
    fn followed_before(&self, path: &[Rc<Hop>]) -> Vec<Rc<RunPoint<E::Bdd>>> {
        if self.care != Care::Last {
            return vec![];
        }
        let (hops, points) = &self.followed;
        let common = hops.iter().zip(path).take_while(|(before, now)| Rc::ptr_eq(before, now)).count();
        points[..common].to_vec()
    }

    /// Makes segments of the points. `constrained` gives for each point the slots whose value matters.
    fn record(
        &mut self,
        segment: SegmentId,
        points: &[Rc<RunPoint<E::Bdd>>],
        constrained: Option<&[Vec<bool>]>,
    ) {
        let cfg = self.edges.machine.cfg;
        let mut segment = segment;
        let mut steps: Vec<Step> = vec![];
        for (i, point) in points.iter().enumerate() {
            let proc = cfg.vertices[point.vertex].proc;
            let mut values = self.valuation(proc, &point.state);
            if let Some(constrained) = constrained {
                let space = &self.edges.machine.space;
                values.set_free(|v| !constrained[i][space.slot(v).0]);
            }
            let (edge, kind) = match &point.movement {
                Movement::Step(edge) => {
                    let branches = cfg.vertices[point.vertex].out.len() > 1;
                    let kind = match cfg.edges[*edge].op {
                        Op::Assume { value, .. } if branches => StepKind::Branch(value),
                        _ => StepKind::Plain,
                    };
                    (*edge, kind)
                }
                Movement::Over { edge, inside, .. } => (*edge, StepKind::Call(Some(*inside))),
                Movement::Into(edge) => (*edge, StepKind::Enter(self.reserve())),
                Movement::End => {
                    let results = self.edges.machine.space.results(proc).map(|s| point.state[s.0]);
                    let at_exit = cfg.procs[proc].exit == point.vertex;
                    let returned = if at_exit { results.collect() } else { vec![] };
                    let steps = std::mem::take(&mut steps);
                    self.segments[segment] =
                        Some(Segment { proc, steps, end: point.vertex, after: values, returned });
                    return;
                }
            };
            let stmt = cfg.edges[edge].stmt;
            steps.push(Step { vertex: point.vertex, edge, stmt, before: values.clone(), kind });
            if let StepKind::Enter(inside) = kind {
                let steps = std::mem::take(&mut steps);
                self.segments[segment] =
                    Some(Segment { proc, steps, end: point.vertex, after: values, returned: vec![] });
                segment = inside;
            }
        }
    }
}

fn current(slot: Slot, state: &State) -> (bdd::Var, bool) {
    (slot.current(), state[slot.0])
}
