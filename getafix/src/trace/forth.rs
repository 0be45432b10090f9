//! From the paths found backwards to a trace in bebop's form: edges, and the values of all variables in scope, which are
//! those of the states but for locals at exits, where states do not have them.

use super::back::Back;
use super::{Bits, Hop, SummaryEdge};
use crate::prelude::Model;
use crate::translate::Place;
use base::IndexVec;
use bdd::{DualRail, Engine, Var};
use bp::ThreadOp;
use bp::{Cfg, Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use check::{Segment, SegmentId, Step, StepKind, Trace, Valuation};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Runs inside calls are left out when there are more segments than these.
const MOST_SEGMENTS: usize = 2000;

/// The contexts that a segment lies in: from which step on, and the number.
pub(super) type Contexts = Vec<(usize, u32)>;

/// A trace, and the contexts of each segment.
pub(super) struct Written {
    pub(super) trace: Trace,
    pub(super) contexts: IndexVec<SegmentId, Contexts>,
}

pub(super) struct Writer<'b, 't, M, E: Engine> {
    back: &'b mut Back<'t, M, E>,
    code: usize,
    segments: IndexVec<SegmentId, Option<(Segment, Contexts)>>,
    known: BTreeMap<SummaryEdge, SegmentId>,
    jobs: Vec<(SegmentId, SummaryEdge)>,
    scopes: BTreeMap<ProcId, Rc<Scope>>,
}

/// The variables in scope, and where each stands among them.
struct Scope {
    vars: Arc<[VarId]>,
    at: BTreeMap<VarId, usize>,
}

/// A point of a run.
struct Point {
    vertex: VertexId,
    /// The values of the variables in scope.
    values: Vec<bool>,
    /// At an exit, what is returned.
    returned: Vec<bool>,
}

impl<'b, 't, M: Model, E: Engine> Writer<'b, 't, M, E> {
    pub(super) fn new(back: &'b mut Back<'t, M, E>, code: usize) -> Self {
        Writer {
            back,
            code,
            segments: IndexVec::new(),
            known: BTreeMap::new(),
            jobs: vec![],
            scopes: BTreeMap::new(),
        }
    }

    fn cfg(&self) -> &'t Cfg {
        &self.back.model.system.codes[self.code].cfg
    }

    /// The trace of a run that has these paths in the procedures that are open at its end, the outermost first.
    pub(super) fn write(mut self, paths: &[Vec<Hop>]) -> Option<Written> {
        let ids: Vec<SegmentId> = paths.iter().map(|_| self.segments.push(None)).collect();
        for (i, path) in paths.iter().enumerate() {
            self.segments[ids[i]] = Some(self.segment(path, ids.get(i + 1).copied())?);
        }
        while let Some((id, summary)) = self.jobs.pop() {
            let path = self.back.path(&summary.entry, &summary.exit, summary.ring)?;
            self.segments[id] = Some(self.segment(&path, None)?);
        }
        let (mut segments, mut contexts) = (IndexVec::new(), IndexVec::new());
        for written in self.segments.into_vec() {
            let (segment, context) = written?;
            segments.push(segment);
            contexts.push(context);
        }
        let last: &Segment = &segments[*ids.last()?];
        let trace = Trace { target: last.end, root: ids[0], segments: Arc::new(segments) };
        Some(Written { trace, contexts })
    }

    fn scope(&mut self, proc: ProcId) -> Rc<Scope> {
        let cfg = self.cfg();
        let scope = self.scopes.entry(proc).or_insert_with(|| {
            let at = cfg.scope(proc).enumerate().map(|(i, v)| (v, i)).collect();
            Rc::new(Scope { vars: cfg.scope(proc).collect(), at })
        });
        scope.clone()
    }

    /// A segment from the states of a path; `enters` is what its last state enters for good.
    fn segment(&mut self, path: &[Hop], enters: Option<SegmentId>) -> Option<(Segment, Contexts)> {
        let cfg = self.cfg();
        // The first state is at the beginning of the procedure, before its first vertex.
        let path = &path[1..];
        let mut at = self.point(&path.first()?.state)?;
        let proc = cfg.vertices[at.vertex].proc;
        let mut context = self.back.context(&path[0].state);
        let mut contexts = vec![(0, context)];
        let mut steps: Vec<Step> = vec![];
        for pair in path.windows(2) {
            let mut next = self.point(&pair[1].state)?;
            let then = self.back.context(&pair[1].state);
            if then != context && pair[0].over.is_none() {
                self.keep_locals(proc, &at, &mut next);
            } else {
                steps.push(self.step(&at, &mut next, pair[0].over.as_ref())?);
            }
            if then != context {
                context = then;
                contexts.push((steps.len(), context));
            }
            at = next;
        }
        if let Some(inside) = enters {
            let is_call = |e: &&EdgeId| matches!(cfg.edges[**e].op, Op::Call { .. });
            let edge = cfg.vertices[at.vertex].out.iter().find(is_call)?;
            steps.push(self.made(&at, *edge, StepKind::Enter(inside)));
        }
        let after = Valuation::new(self.scope(proc).vars.clone(), at.values);
        Some((Segment { proc, steps, end: at.vertex, after, returned: at.returned }, contexts))
    }

    /// What a state says of its point.
    fn point(&mut self, state: &Bits) -> Option<Point> {
        let Place::Vertex(_, vertex) = self.back.place(state) else { return None };
        let proc = self.cfg().vertices[vertex].proc;
        let scope = self.scope(proc);
        let bit = |slot: crate::translate::Slot| self.back.part(state, slot.part)[slot.bit];
        let values = scope.vars.iter().map(|v| bit(self.back.model.slot(self.code, *v))).collect();
        let at_exit = self.cfg().procs[proc].exit == vertex;
        let returned = if at_exit { self.returned(proc, state) } else { vec![] };
        Some(Point { vertex, values, returned })
    }

    fn returned(&self, proc: ProcId, state: &Bits) -> Vec<bool> {
        let results = self.back.model.layout.results(self.code, proc).iter();
        results.map(|slot| self.back.part(state, slot.part)[slot.bit]).collect()
    }

    /// At an exit the locals are those of the point before.
    fn keep_locals(&self, proc: ProcId, from: &Point, to: &mut Point) {
        if self.cfg().procs[proc].exit == to.vertex {
            let globals = self.cfg().globals.len();
            to.values[globals..].copy_from_slice(&from.values[globals..]);
        }
    }

    fn made(&mut self, at: &Point, edge: EdgeId, kind: StepKind) -> Step {
        let cfg = self.cfg();
        let scope = self.scope(cfg.vertices[at.vertex].proc);
        let before = Valuation::new(scope.vars.clone(), at.values.clone());
        Step { vertex: at.vertex, edge, stmt: cfg.edges[edge].stmt, before, kind }
    }

    /// The step from one point to the next; the next one gets the values that its state does not have.
    fn step(&mut self, from: &Point, to: &mut Point, over: Option<&SummaryEdge>) -> Option<Step> {
        let cfg = self.cfg();
        let proc = cfg.vertices[from.vertex].proc;
        for id in &cfg.vertices[from.vertex].out {
            let edge = &cfg.edges[*id];
            if edge.to != to.vertex {
                continue;
            }
            match (&edge.op, over) {
                (Op::Call { callee, results, .. }, Some(summary)) => {
                    if cfg.procs[proc].exit == to.vertex {
                        let scope = self.scope(proc);
                        self.keep_locals(proc, from, to);
                        let returned = self.returned(*callee, &summary.exit);
                        for (value, target) in returned.into_iter().zip(results) {
                            let local = target.filter(|v| cfg.vars[*v].owner.is_some());
                            local.into_iter().for_each(|v| to.values[scope.at[&v]] = value);
                        }
                    }
                    let inside = self.inside(summary);
                    return Some(self.made(from, *id, StepKind::Call(inside)));
                }
                (Op::Call { .. }, None) | (_, Some(_)) => {}
                (op, None) => {
                    if self.ends(*id) || !self.leads(*id, from, to) {
                        continue;
                    }
                    let branches = cfg.vertices[from.vertex].out.len() > 1;
                    let kind = match op {
                        Op::Assume { value, .. } if branches => StepKind::Branch(*value),
                        _ => StepKind::Plain,
                    };
                    return Some(self.made(from, *id, kind));
                }
            }
        }
        None
    }

    /// Whether the edge ends its thread.
    fn ends(&self, edge: EdgeId) -> bool {
        self.cfg().edges[edge].threads.contains(&ThreadOp::End)
    }

    /// Whether an edge that is not a call leads from one point to the other. The values of locals that it sets on the
    /// way to an exit are chosen.
    fn leads(&mut self, id: EdgeId, from: &Point, to: &mut Point) -> bool {
        let cfg = self.cfg();
        let edge = &cfg.edges[id];
        let proc = cfg.vertices[edge.from].proc;
        let scope = self.scope(proc);
        let mut set: BTreeSet<VarId> = match &edge.op {
            Op::Assign { targets, .. } => targets.iter().copied().collect(),
            _ => BTreeSet::new(),
        };
        set.extend(edge.threads.iter().filter_map(|op| match op {
            ThreadOp::Nested(true, var) => Some(*var),
            _ => None,
        }));
        self.keep_locals(proc, from, to);
        if scope.vars.iter().any(|v| !set.contains(v) && from.values[scope.at[v]] != to.values[scope.at[v]]) {
            return false;
        }
        let at_exit = cfg.procs[proc].exit == to.vertex;
        let chosen: BTreeMap<VarId, Var> = set
            .iter()
            .filter(|v| at_exit && cfg.vars[**v].owner.is_some())
            .map(|v| {
                let slot = self.back.model.slot(self.code, *v);
                (*v, self.back.var(slot.part, slot.bit))
            })
            .collect();
        let Some(cube) = choices(&mut self.back.evaluator.engine, cfg, edge, &scope, (from, to, &chosen))
        else {
            return false;
        };
        for (v, var) in &chosen {
            to.values[scope.at[v]] = cube.iter().any(|(set, value)| set == var && *value);
        }
        true
    }

    /// The segment of what a call did.
    fn inside(&mut self, summary: &SummaryEdge) -> Option<SegmentId> {
        if let Some(known) = self.known.get(summary) {
            return Some(*known);
        }
        if self.segments.len() >= MOST_SEGMENTS {
            return None;
        }
        let id = self.segments.push(None);
        self.known.insert(summary.clone(), id);
        self.jobs.push((id, summary.clone()));
        Some(id)
    }
}

/// Values for the chosen variables with which the edge leads from one point to the other.
fn choices<E: Engine>(
    engine: &mut E,
    cfg: &Cfg,
    edge: &Edge,
    scope: &Scope,
    (from, to, chosen): (&Point, &Point, &BTreeMap<VarId, Var>),
) -> Option<bdd::Cube> {
    let mut value = |engine: &mut E, v: VarId, next: bool| match chosen.get(&v) {
        Some(var) if next => engine.var(*var),
        _ => engine.constant(if next { to } else { from }.values[scope.at[&v]]),
    };
    let mut all = vec![];
    let mut becomes = |engine: &mut E, bit: E::Bdd, e: &Expr<VarId>| {
        DualRail::new(engine, e, &mut value).becomes(engine, &bit)
    };
    match &edge.op {
        Op::Skip => {}
        Op::Assume { cond, value: wanted, .. } => {
            let bit = engine.constant(*wanted);
            all.push(becomes(engine, bit, cond));
        }
        Op::Assign { targets, values, .. } => {
            for (target, e) in targets.iter().zip(values) {
                let at = to.values[scope.at[target]];
                let bit = chosen.get(target).map_or(engine.constant(at), |var| engine.var(*var));
                all.push(becomes(engine, bit, e));
            }
        }
        Op::Return(values) => {
            let returned = to.returned.iter().zip(values);
            all.extend(returned.map(|(bit, e)| becomes(engine, engine.constant(*bit), e)));
        }
        Op::Call { .. } => unreachable!("calls are stepped over elsewhere"),
    }
    if let Op::Assume { constrain: Some(e), .. } | Op::Assign { constrain: Some(e), .. } = &edge.op {
        all.push(DualRail::new(engine, e, &mut value).can_be(engine, true));
    }
    let arrived = &cfg.vertices[edge.to];
    if let Some(e) = cfg.procs[arrived.proc].enforce.as_ref().filter(|_| !arrived.return_point) {
        let next = DualRail::new(engine, e, &mut |engine, v, _| value(engine, v, true));
        all.push(next.can_be(engine, true));
    }
    let mut both = engine.constant(true);
    for f in &all {
        both = engine.and(&both, f);
    }
    engine.witness(&both)
}
