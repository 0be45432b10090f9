//! Counterexamples of sequential programs, which the paper lacks, from the rings of the entry-forward relation: ring n
//! is what round n added. A pair of ring n comes from pairs of earlier rings, by one of the four clauses of `ef`.
//!
//! The path is found backwards inside each procedure, with concrete states, and written down forwards. What a call does is
//! a pair of an earlier ring again, so runs inside calls do not hold each other in a circle.

use crate::eval::{Evaluator, Options, Stop};
use crate::formulae::EF;
use crate::ir::{Formula, LeafId, RelId};
use crate::prelude::{Model, Part};
use crate::solve;
use crate::translate::{Place, Question, System, Translation};
use base::{Id, IndexVec, SourceMap};
use bdd::{Engine, TooManyVariables, Var};
use bebop::explicit::{State as Point, steps};
use bebop::{Segment, SegmentId, Step, StepKind, Trace, Valuation};
use bp::{Cfg, EdgeId, Op, ProcId, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A scope with more variables than these has no trace.
const MOST_VARIABLES: usize = 60;
/// Runs inside calls are left out when there are more segments than these.
const MOST_SEGMENTS: usize = 2000;

/// The bits of the four parts of a state.
type Bits = Vec<bool>;

/// A trace to one of the goals, if there is one; `None` too for scopes with very many variables.
///
/// # Errors
/// When the engine is stopped.
pub fn trace<E: Engine>(
    system: &System,
    question: &Question,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
) -> Result<Option<Trace>, Stop> {
    let cfg = &system.codes[0].cfg;
    if cfg.procs.ids().any(|proc| cfg.scope(proc).count() > MOST_VARIABLES) {
        return Ok(None);
    }
    let question = Question { moved: false, ..question.clone() };
    let model = Translation::new(system, question);
    let formula = solve::formula(EF.text, "ef.fp", &mut SourceMap::new(), &model)
        .expect("the formula files of the program are well-formed");
    let prelude = model.prelude();
    let options = Options { rings: true, ..Options::default() };
    let Ok(mut evaluator) = Evaluator::new(&formula, &model, &prelude, options, engine) else {
        return Ok(None);
    };
    let found = evaluator.run(&mut |_| {})?;
    let Some((top, _)) = found.top.filter(|_| found.holds) else { return Ok(None) };
    let mut tracer = Tracer::new(&model, &formula, top, evaluator, found.rings);
    let trace = tracer.trace();
    if tracer.evaluator.engine.interrupted() { Err(Stop::Interrupted) } else { Ok(trace) }
}

/// A point of a path: a state, and how it goes on.
struct Hop {
    state: Bits,
    over: Option<Passage>,
}

/// What a call did: from an entry to an exit, found in a ring.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Passage {
    entry: Bits,
    exit: Bits,
    ring: usize,
}

struct Tracer<'t, E: Engine> {
    model: &'t Translation<'t>,
    evaluator: Evaluator<'t, Translation<'t>, E>,
    rings: Vec<E::Bdd>,
    /// The variables of u, v, x, y and z, part by part.
    states: [Vec<Part>; 5],
    relations: BTreeMap<&'static str, E::Bdd>,
    segments: IndexVec<SegmentId, Option<Segment>>,
    known: BTreeMap<Passage, SegmentId>,
    jobs: Vec<(SegmentId, Passage)>,
}

const U: usize = 0;
const V: usize = 1;
const X: usize = 2;
const Y: usize = 3;
const Z: usize = 4;

impl<'t, E: Engine> Tracer<'t, E> {
    fn new(
        model: &'t Translation<'t>,
        formula: &'t Formula,
        top: RelId,
        evaluator: Evaluator<'t, Translation<'t>, E>,
        rings: Vec<E::Bdd>,
    ) -> Self {
        let formals = &formula.relations[top].formals;
        let parts = |leaves: &[LeafId]| leaves.iter().map(|leaf| evaluator.vars(*leaf).to_vec()).collect();
        // The clause about calls is the only one that binds z, after x and y.
        let z =
            formula.leaves.iter_enumerated().find(|(_, leaf)| leaf.name == "z.pc").map(|(id, _)| id.index());
        let z = z.expect("ef has a variable z");
        let bound = |first: usize| -> Vec<LeafId> { (first..first + 4).map(LeafId::from_index).collect() };
        let states = [
            parts(&formals[..4]),
            parts(&formals[4..]),
            parts(&bound(z - 8)),
            parts(&bound(z - 4)),
            parts(&bound(z)),
        ];
        Tracer {
            model,
            evaluator,
            rings,
            states,
            relations: BTreeMap::new(),
            segments: IndexVec::new(),
            known: BTreeMap::new(),
            jobs: vec![],
        }
    }

    fn cfg(&self) -> &'t Cfg {
        &self.model.system.codes[0].cfg
    }

    /// A relation of the model over some of the states.
    fn relation(&mut self, name: &'static str, states: &[usize]) -> E::Bdd {
        if let Some(known) = self.relations.get(name) {
            return known.clone();
        }
        let prelude = self.model.prelude();
        let number = prelude.inputs.iter().position(|input| input.name == name).expect("the model gives it");
        let one_part = prelude.inputs[number].params == ["PC"];
        let parts: Vec<Part> =
            states.iter().flat_map(|s| self.states[*s][..if one_part { 1 } else { 4 }].to_vec()).collect();
        let value = self.model.relation(&mut self.evaluator.engine, number, &parts);
        self.relations.insert(name, value.clone());
        value
    }

    fn values(&self, at: usize, state: &Bits) -> Vec<(Var, bool)> {
        self.states[at].iter().flatten().copied().zip(state.iter().copied()).collect()
    }

    fn fix(&mut self, f: &E::Bdd, at: usize, state: &Bits) -> E::Bdd {
        let values = self.values(at, state);
        self.evaluator.engine.restrict(f, &values)
    }

    /// Values of some states that the function holds of; 0 where it says nothing.
    fn pick<const N: usize>(&self, f: &E::Bdd, at: [usize; N]) -> Option<[Bits; N]> {
        let cube: BTreeMap<Var, bool> = self.evaluator.engine.witness(f)?.into_iter().collect();
        let of = |s: usize| {
            self.states[s].iter().flatten().map(|var| cube.get(var).copied().unwrap_or(false)).collect()
        };
        Some(at.map(of))
    }

    /// The same function of other states: `pairs` are the old ones with the new ones.
    fn moved(&mut self, f: &E::Bdd, pairs: &[(usize, usize)]) -> E::Bdd {
        let of = |s: &usize| self.states[*s].iter().flatten().copied().collect::<Vec<Var>>();
        let vars: Vec<(Var, Var)> = pairs.iter().flat_map(|(a, b)| of(a).into_iter().zip(of(b))).collect();
        let mut sorted = vars.clone();
        sorted.sort_unstable();
        if sorted.windows(2).all(|pair| pair[0].1 < pair[1].1) {
            let renaming = self.evaluator.engine.renaming(&vars);
            self.evaluator.engine.rename(f, renaming)
        } else {
            bdd::permute(&mut self.evaluator.engine, f, &vars)
        }
    }

    fn pc(&self, state: &Bits) -> Place {
        let bits = self.states[V][0].len();
        let pc = state[..bits].iter().enumerate().map(|(i, b)| u32::from(*b) << i).sum();
        self.model.place(pc).expect("found states are at program counters of the program")
    }

    fn trace(&mut self) -> Option<Trace> {
        let target = self.relation("Target", &[V]);
        let rings = self.rings.clone();
        let (ring, u, v) = rings.iter().enumerate().find_map(|(i, ring)| {
            let hit = self.evaluator.engine.and(ring, &target);
            self.pick(&hit, [U, V]).map(|[u, v]| (i, u, v))
        })?;
        // Paths of the calls that do not return, the innermost first.
        let mut paths = vec![self.path(&u, &v, ring)?];
        let mut entry = u;
        let mut limit = ring;
        while !matches!(self.pc(&entry), Place::Begin(..)) {
            let into = self.relation("IntoCall", &[V, Y]);
            let into = self.fix(&into, Y, &entry);
            let (ring, x, y) = rings[..limit].iter().enumerate().find_map(|(i, ring)| {
                let hit = self.evaluator.engine.and(ring, &into);
                self.pick(&hit, [U, V]).map(|[x, y]| (i, x, y))
            })?;
            paths.push(self.path(&x, &y, ring)?);
            entry = x;
            limit = ring;
        }
        paths.reverse();
        let ids: Vec<SegmentId> = paths.iter().map(|_| self.segments.push(None)).collect();
        for (i, path) in paths.iter().enumerate() {
            let segment = self.segment(path, ids.get(i + 1).copied())?;
            self.segments[ids[i]] = Some(segment);
        }
        while let Some((id, passage)) = self.jobs.pop() {
            let path = self.path(&passage.entry, &passage.exit, passage.ring)?;
            let segment = self.segment(&path, None)?;
            self.segments[id] = Some(segment);
        }
        let segments: Option<Vec<Segment>> =
            std::mem::take(&mut self.segments).into_vec().into_iter().collect();
        let mut all = IndexVec::new();
        segments?.into_iter().for_each(|segment| _ = all.push(segment));
        let last: &Segment = &all[*ids.last()?];
        Some(Trace { target: last.end, root: ids[0], segments: all.into() })
    }

    /// The states from an entry to a state that ring number `ring` has with it.
    fn path(&mut self, u: &Bits, v: &Bits, ring: usize) -> Option<Vec<Hop>> {
        let own: Vec<E::Bdd> = (0..=ring)
            .map(|i| {
                let f = self.rings[i].clone();
                self.fix(&f, U, u)
            })
            .collect();
        let mut out = vec![Hop { state: v.clone(), over: None }];
        let (mut at, mut ring) = (v.clone(), ring);
        while matches!(self.pc(&at), Place::Vertex(..)) {
            let (before, over, found) = self.before(&own, &at, ring)?;
            out.push(Hop { state: before.clone(), over });
            (at, ring) = (before, found);
        }
        out.reverse();
        Some(out)
    }

    /// A state before this one, what the call between them did, if it is one, and the ring of the state.
    fn before(&mut self, own: &[E::Bdd], at: &Bits, ring: usize) -> Option<(Bits, Option<Passage>, usize)> {
        let step = self.relation("ProgramInt", &[V, Y]);
        let step = self.fix(&step, Y, at);
        for (i, own) in own[..ring].iter().enumerate() {
            let hit = self.evaluator.engine.and(own, &step);
            if let Some([x]) = self.pick(&hit, [V]) {
                return Some((x, None, i));
            }
        }
        // Over a call: x is at the call, y and z are the callee's entry and exit.
        let back = self.relation("Return", &[X, Z, V]);
        let back = self.fix(&back, V, at);
        for (i, own) in own[..ring].iter().enumerate() {
            let callers = self.moved(own, &[(V, X)]);
            let callers = self.evaluator.engine.and(&callers, &back);
            let Some([..]) = self.pick(&callers, [X]) else { continue };
            if let Some((x, passage)) = self.callee(&callers, ring) {
                return Some((x, Some(passage), i));
            }
        }
        None
    }

    /// A caller's state among these (with the callee's exits), and how the call passed.
    fn callee(&mut self, callers: &E::Bdd, ring: usize) -> Option<(Bits, Passage)> {
        let vars: Vec<Var> = self.states[V].iter().flatten().copied().collect();
        for j in 0..ring {
            let inside = self.rings[j].clone();
            let inside = self.moved(&inside, &[(U, Y), (V, Z)]);
            let joined = self.evaluator.engine.and(callers, &inside);
            if self.evaluator.engine.is_zero(&joined) {
                continue;
            }
            // The relation of entering is kept over V and Y.
            let into = self.relation("IntoCall", &[V, Y]);
            let into = self.moved(&into, &[(V, X), (Y, Y)]);
            let all = self.evaluator.engine.and(&joined, &into);
            debug_assert!(vars.iter().all(|v| !self.evaluator.engine.support(&all).contains(v)));
            if let Some([x, entry, exit]) = self.pick(&all, [X, Y, Z]) {
                return Some((x, Passage { entry, exit, ring: j }));
            }
        }
        None
    }

    fn bit(&self, state: &Bits, part: usize, bit: usize) -> bool {
        let before: usize = self.states[V][..part].iter().map(Vec::len).sum();
        state[before + bit]
    }

    /// The values of the variables in scope.
    fn scope(&self, proc: ProcId, state: &Bits) -> u64 {
        let scope = self.cfg().scope(proc).enumerate();
        let one = |(i, v): (usize, VarId)| {
            let slot = self.model.slot(0, v);
            u64::from(self.bit(state, slot.part, slot.bit)) << i
        };
        scope.map(one).sum()
    }

    fn valuation(&self, proc: ProcId, vars: u64) -> Valuation {
        let scope: Arc<[VarId]> = self.cfg().scope(proc).collect();
        let values = (0..scope.len()).map(|i| vars >> i & 1 == 1).collect();
        Valuation::new(scope, values)
    }

    /// A segment from the states of a path; `enters` is what its last state enters for good.
    fn segment(&mut self, path: &[Hop], enters: Option<SegmentId>) -> Option<Segment> {
        let cfg = self.cfg();
        // The first state is at the beginning of the procedure, before its first vertex.
        let path = &path[1..];
        let Place::Vertex(_, first) = self.pc(&path.first()?.state) else { return None };
        let proc = cfg.vertices[first].proc;
        let mut points: Vec<Point> = vec![];
        let mut out: Vec<Step> = vec![];
        for (i, hop) in path.iter().enumerate() {
            let Place::Vertex(_, vertex) = self.pc(&hop.state) else { return None };
            let at_exit = vertex == cfg.procs[proc].exit;
            let mut point = Point { vertex, vars: self.scope(proc, &hop.state), returned: 0 };
            if at_exit {
                point.returned = self.returned(proc, &hop.state);
                // The locals are those of the state before, until the step is made.
                let globals = (1u64 << cfg.globals.len()) - 1;
                let before = points.last().map_or(point.vars, |p| p.vars);
                point.vars = point.vars & globals | before & !globals;
            }
            if let Some(before) = points.last().copied() {
                let step = self.step(before, &mut point, path[i - 1].over.as_ref())?;
                out.push(step);
            }
            points.push(point);
        }
        let last = *points.last()?;
        if let Some(inside) = enters {
            let edge = cfg.vertices[last.vertex]
                .out
                .iter()
                .find(|e| matches!(cfg.edges[**e].op, Op::Call { .. }))?;
            out.push(self.made(last, *edge, proc, StepKind::Enter(inside)));
        }
        let after = self.valuation(proc, last.vars);
        let at_exit = last.vertex == cfg.procs[proc].exit;
        let count = if at_exit { cfg.procs[proc].returns } else { 0 };
        let returned = (0..count).map(|k| last.returned >> k & 1 == 1).collect();
        Some(Segment { proc, steps: out, end: last.vertex, after, returned })
    }

    fn returned(&self, proc: ProcId, state: &Bits) -> u64 {
        let results = self.model.layout.results(0, proc).iter().enumerate();
        results.map(|(k, slot)| u64::from(self.bit(state, slot.part, slot.bit)) << k).sum()
    }

    fn made(&self, at: Point, edge: EdgeId, proc: ProcId, kind: StepKind) -> Step {
        let stmt = self.cfg().edges[edge].stmt;
        Step { vertex: at.vertex, edge, stmt, before: self.valuation(proc, at.vars), kind }
    }

    /// The step from one point to the next.
    fn step(&mut self, from: Point, to: &mut Point, over: Option<&Passage>) -> Option<Step> {
        let cfg = self.cfg();
        let proc = cfg.vertices[from.vertex].proc;
        for id in &cfg.vertices[from.vertex].out {
            let edge = &cfg.edges[*id];
            if edge.to != to.vertex {
                continue;
            }
            match (&edge.op, over) {
                (Op::Call { callee, results, .. }, Some(passage)) => {
                    if cfg.procs[proc].exit == to.vertex {
                        let scope: Vec<VarId> = cfg.scope(proc).collect();
                        let returned = self.returned(*callee, &passage.exit);
                        for (k, target) in results.iter().enumerate() {
                            let Some(at) = target.and_then(|t| scope.iter().position(|v| *v == t)) else {
                                continue;
                            };
                            to.vars = to.vars & !(1 << at) | (returned >> k & 1) << at;
                        }
                    }
                    let inside = self.inside(passage);
                    return Some(self.made(from, *id, proc, StepKind::Call(inside)));
                }
                (Op::Call { .. }, None) | (_, Some(_)) => {}
                (op, None) => {
                    let globals = (1u64 << cfg.globals.len()) - 1;
                    let at_exit = cfg.procs[proc].exit == to.vertex;
                    let fits = |s: &Point| {
                        *s == *to
                            || at_exit && s.vars & globals == to.vars & globals && s.returned == to.returned
                    };
                    let Some(point) = steps(cfg, edge, from.vars).into_iter().find(fits) else { continue };
                    *to = point;
                    let branches = cfg.vertices[from.vertex].out.len() > 1;
                    let kind = match op {
                        Op::Assume { value, .. } if branches => StepKind::Branch(*value),
                        _ => StepKind::Plain,
                    };
                    return Some(self.made(from, *id, proc, kind));
                }
            }
        }
        None
    }

    /// The segment of what a call did.
    fn inside(&mut self, passage: &Passage) -> Option<SegmentId> {
        if let Some(known) = self.known.get(passage) {
            return Some(*known);
        }
        if self.segments.len() >= MOST_SEGMENTS {
            return None;
        }
        let id = self.segments.push(None);
        self.known.insert(passage.clone(), id);
        self.jobs.push((id, passage.clone()));
        Some(id)
    }
}
