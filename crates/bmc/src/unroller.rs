//! The unrolling: executions are followed edge by edge through procedures, loops and calls, and those that meet at a
//! location are merged.

use crate::guard::Guard;
use crate::horn::Clauses;
use crate::k_induction::Induction;
use crate::queries::Possible;
use crate::{Bounds, Covered, Unrolled};
use alias::CellSet;
use base::IndexVec;
use encoding::Encoder;
use encoding::symbolic::path_state::PathState;
use encoding::symbolic::walk::Walk;
use ir::loop_nesting::{Part, nesting};
use ir::{Callee, CheckId, EdgeId, LocId, Op, PathStep, ProcId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Sort, Term, Z3Prover};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Loops in loops, most.
const NESTED: usize = 20;

/// All executions that are at one place.
pub(crate) struct Flow<'a> {
    pub(crate) state: PathState<'a>,
    pub(crate) guard: Guard,
    /// How they came there.
    pub(crate) from: Vec<Arrival>,
}

/// A step that leads to a place.
pub(crate) struct Arrival {
    /// The place before it.
    pub(crate) place: usize,
    pub(crate) step: PathStep,
    pub(crate) guard: Guard,
}

/// A check that may fail at a place.
pub(crate) struct Failing {
    pub(crate) check: CheckId,
    pub(crate) place: usize,
    pub(crate) edge: (ProcId, EdgeId),
    /// That executions come there, and that the check fails then.
    pub(crate) reached: Term,
    pub(crate) formula: Term,
}

/// What is asked of a procedure's graph each time it is entered.
pub(crate) struct Graph {
    pub(crate) parts: Vec<Part>,
    successors: IndexVec<LocId, Vec<EdgeId>>,
}

/// A loop.
pub(crate) struct Cycle {
    pub(crate) members: BTreeSet<LocId>,
    /// What its edges write.
    pub(crate) mods: CellSet,
}

/// A loop that is unrolled at present.
pub(crate) struct Unrolling {
    pub(crate) cycle: Rc<Cycle>,
    pub(crate) at: ProcId,
    pub(crate) depth: usize,
    /// Whether some edge out of it was found to lead nowhere, in this turn: the program computes with constants that it goes on.
    is_closed: bool,
}

/// At most this many edges are executed each time a loop is entered whose number of iterations the program computes
/// from constants.
pub(crate) const COMPUTED: usize = 10_000;

pub(crate) type Flows<'a> = FxHashMap<LocId, Flow<'a>>;

pub(crate) struct Unroller<'a, 'e> {
    pub(crate) bounds: &'e Bounds<'e>,
    /// The limit of the last question where executions go beyond the bounds, if it is asked then.
    pub(crate) beyond: Option<u64>,
    pub(crate) walk: Walk<'a, 'e>,
    pub(crate) prover: Z3Prover,
    /// Axioms that the prover knows: the first ones of the walk, of which no two are alike.
    pub(crate) asserted: usize,
    pub(crate) known: FxHashSet<Term>,
    graphs: FxHashMap<ProcId, Rc<Graph>>,
    /// The places of the unrolling: the steps that lead to each.
    pub(crate) places: Vec<Vec<Arrival>>,
    pub(crate) failures: Vec<Failing>,
    pub(crate) covered: Covered,
    pub(crate) next_address: i128,
    /// Edges that were executed, and the most.
    pub(crate) steps: usize,
    pub(crate) limit: usize,
    /// Activations.
    pub(crate) depth: usize,
    /// Questions whether executions go on, and those without an answer.
    pub(crate) questions: usize,
    pub(crate) unknown: usize,
    /// Some executions were left out.
    pub(crate) cut: bool,
    /// Conditions under which others were: whether they can hold is not known yet.
    pub(crate) further: Vec<Term>,
    /// Edges that are not taken: a guess.
    pub(crate) avoid: BTreeSet<(ProcId, EdgeId)>,
    /// The innermost loop that is unrolled at present.
    pub(crate) unrolled: Option<Unrolling>,
    /// Loops stand for any number of iterations.
    pub(crate) induction: Option<Induction<'a, 'e>>,
    /// Loops are relations of Horn clauses.
    pub(crate) clauses: Option<Clauses>,
    pub(crate) loops: FxHashMap<(ProcId, LocId), Rc<Cycle>>,
}

impl<'a, 'e> Unroller<'a, 'e> {
    /// `feasible` limits each question whether executions go on.
    pub(crate) fn new(
        enc: &'e Encoder<'a>,
        bounds: &'e Bounds<'e>,
        state: &PathState<'a>,
        feasible: u64,
    ) -> Unroller<'a, 'e> {
        Unroller {
            bounds,
            beyond: None,
            walk: Walk::new(enc, state.clone()),
            prover: smt::prover(feasible, bounds.interrupt),
            asserted: 0,
            known: FxHashSet::default(),
            graphs: FxHashMap::default(),
            places: vec![],
            failures: vec![],
            covered: Covered::default(),
            next_address: state.next_object(),
            steps: 0,
            limit: bounds.steps,
            depth: 0,
            questions: 0,
            unknown: 0,
            cut: false,
            further: vec![],
            avoid: BTreeSet::new(),
            unrolled: None,
            induction: None,
            clauses: None,
            loops: FxHashMap::default(),
        }
    }

    pub(crate) fn program(&mut self, state: PathState<'a>) -> Option<Unrolled> {
        let entry = self.walk.enc.program.entry;
        let flow = Flow { state, guard: Guard::default(), from: vec![] };
        self.procedure(entry, flow)?;
        self.decide()
    }

    /// The executions at the procedure's exit, if there are some; `None` when the work is too much.
    pub(crate) fn procedure(&mut self, p: ProcId, mut entering: Flow<'a>) -> Option<Option<Flow<'a>>> {
        let proc = &self.walk.enc.program.procs[p];
        let graph = match self.graphs.get(&p) {
            Some(graph) => graph.clone(),
            None => {
                let graph = Graph { parts: nesting(proc, NESTED)?, successors: proc.successors() };
                self.graphs.entry(p).or_insert(Rc::new(graph)).clone()
            }
        };
        self.with_state(&mut entering, |unroller| unroller.walk.state.settle());
        self.remember_entry(p, &mut entering);
        let mut flows = Flows::default();
        flows.insert(proc.entry, entering);
        self.parts((p, &graph), &graph.parts, &mut flows)?;
        Some(flows.remove(&proc.exit))
    }

    pub(crate) fn parts(
        &mut self,
        at: (ProcId, &Graph),
        parts: &[Part],
        flows: &mut Flows<'a>,
    ) -> Option<()> {
        for part in parts {
            match part {
                Part::Location(l) => self.location(at, *l, flows)?,
                Part::Loop(head, inner) => self.turns(at, *head, inner, flows)?,
            }
        }
        Some(())
    }

    /// A loop that is entered at its head only, and what it writes.
    pub(crate) fn cycle(&mut self, p: ProcId, head: LocId, inner: &[Part]) -> Rc<Cycle> {
        let enc = self.walk.enc;
        let cycle = self.loops.entry((p, head)).or_insert_with(|| {
            let mut members = BTreeSet::from([head]);
            collect(inner, &mut members);
            let mut mods = CellSet::new();
            for (e, edge) in enc.program.procs[p].edges.iter_enumerated() {
                if members.contains(&edge.src) && members.contains(&edge.dst) {
                    mods.extend_from(enc.oracle.edge_mods(p, e));
                }
            }
            Rc::new(Cycle { members, mods })
        });
        cycle.clone()
    }

    fn turns(
        &mut self,
        at: (ProcId, &Graph),
        head: LocId,
        inner: &[Part],
        flows: &mut Flows<'a>,
    ) -> Option<()> {
        if self.induction.is_some() {
            return self.any_turns(at, head, inner, flows);
        }
        if self.clauses.is_some() {
            let cycle = self.cycle(at.0, head, inner);
            return self.related_turns(at, (head, inner), &cycle.mods, flows);
        }
        let cycle = self.cycle(at.0, head, inner);
        // Iterations that the program computes from constants are not chosen by executions, and do not count.
        let computed = (self.limit / 2).min(self.steps + COMPUTED);
        let (mut asked, mut next, mut counted, mut is_computed) = (0, 1, 0, false);
        for turn in 0.. {
            if turn > 0 {
                let Some(flow) = flows.get(&head) else { break };
                // It is not asked where nothing new is known since it was asked last, and seldom where it was too hard.
                let terms = flow.guard.terms().to_vec();
                let last = counted > self.bounds.turns;
                let is_new = terms.len() != asked && !is_computed;
                if is_new && turn >= next || last {
                    asked = terms.len();
                    match self.possible(&terms)? {
                        Possible::Yes if last => self.cut = true,
                        Possible::Unknown if last => self.further.push(flow.guard.with(Term::bool(true))),
                        Possible::Yes => {}
                        Possible::No => {
                            flows.remove(&head);
                            break;
                        }
                        Possible::Unknown => next = 2 * turn,
                    }
                }
                if last {
                    flows.remove(&head);
                    break;
                }
            }
            let most = self.covered.turns.entry((at.0, head)).or_default();
            *most = turn.max(*most);
            self.covered.counted = self.covered.counted.max(counted);
            let outer = self.begin_turn(at.0, &cycle);
            self.location(at, head, flows)?;
            self.parts(at, inner, flows)?;
            is_computed = self.end_turn(outer) && self.steps < computed;
            counted += usize::from(!is_computed);
        }
        Some(())
    }

    /// An iteration of a loop begins; what is given back is for its end.
    pub(crate) fn begin_turn(&mut self, at: ProcId, cycle: &Rc<Cycle>) -> Option<Unrolling> {
        self.unrolled.replace(Unrolling { cycle: cycle.clone(), at, depth: self.depth, is_closed: false })
    }

    /// It ends; whether constants alone say that the loop was not left in some place.
    pub(crate) fn end_turn(&mut self, outer: Option<Unrolling>) -> bool {
        std::mem::replace(&mut self.unrolled, outer).is_some_and(|turn| turn.is_closed)
    }

    /// Takes note that no execution takes the edge.
    fn is_closed(&mut self, p: ProcId, e: EdgeId) {
        let (depth, dst) = (self.depth, self.walk.enc.program.procs[p].edges[e].dst);
        if let Some(unrolled) = &mut self.unrolled {
            unrolled.is_closed |=
                unrolled.depth == depth && unrolled.at == p && !unrolled.cycle.members.contains(&dst);
        }
    }

    /// Executes the edges behind a location.
    pub(crate) fn location(
        &mut self,
        (p, graph): (ProcId, &Graph),
        l: LocId,
        flows: &mut Flows<'a>,
    ) -> Option<()> {
        let proc = &self.walk.enc.program.procs[p];
        if l == proc.exit {
            return Some(());
        }
        let Some(mut flow) = flows.remove(&l) else { return Some(()) };
        let place = self.places.len();
        self.places.push(std::mem::take(&mut flow.from));
        let edges = &graph.successors[l];
        let count = edges.len();
        let exclusive = if count > 1 { self.choices(p, edges, &mut flow) } else { vec![] };
        let mut rest = Some(flow);
        for (i, &e) in edges.iter().enumerate() {
            let mut flow = if i + 1 == count { rest.take()? } else { rest.as_ref()?.copy() };
            if exclusive.get(i).is_some_and(|choice| !flow.guard.add(choice)) {
                continue;
            }
            if let Some(flow) = self.edge(p, e, place, flow)? {
                self.arrive(proc.edges[e].dst, flow, flows);
            }
        }
        Some(())
    }

    /// Choices that distinguish the executions on one edge behind a location from those on the others; none where the
    /// edges' conditions do.
    fn choices(&mut self, p: ProcId, edges: &[EdgeId], flow: &mut Flow<'a>) -> Vec<Term> {
        let proc = &self.walk.enc.program.procs[p];
        if let [a, b] = edges
            && let (Op::Assume(a), Op::Assume(b)) = (&proc.edges[*a].op, &proc.edges[*b].op)
        {
            let enc = self.walk.enc;
            let [a, b] =
                [a, b].map(|c| self.walk.out.facts.total(|facts| enc.cond(c, &mut flow.state, facts)));
            if a == b.not() {
                return vec![];
            }
        }
        let facts = &mut self.walk.out.facts;
        let mut others = vec![];
        let last = edges.len() - 1;
        let choice = |i: usize| {
            let this = if i == last { Term::bool(true) } else { facts.fresh(Sort::Bool) };
            let taken = Term::and([Term::and(others.iter().map(Term::not)), this.clone()]);
            others.push(this);
            taken
        };
        (0..edges.len()).map(choice).collect()
    }

    /// Works on a flow's state.
    pub(crate) fn with_state<R>(&mut self, flow: &mut Flow<'a>, work: impl FnOnce(&mut Self) -> R) -> R {
        std::mem::swap(&mut self.walk.state, &mut flow.state);
        self.walk.state.next_address = self.next_address;
        let result = work(self);
        self.next_address = self.walk.state.next_address;
        self.walk.state.reads.clear();
        std::mem::swap(&mut self.walk.state, &mut flow.state);
        result
    }

    /// Adds what the last steps assume; false when that cannot be.
    pub(crate) fn assumed(&mut self, flow: &mut Flow<'a>) -> bool {
        self.walk.is_defined(0);
        let assumptions = std::mem::take(&mut self.walk.out.assumptions);
        let possible = assumptions.iter().all(|a| flow.guard.add(&a.formula));
        let facts = &mut self.walk.out.facts;
        let axiom = flow.guard.shorten(|sort| facts.fresh(sort));
        facts.axioms.extend(axiom);
        possible
    }

    /// The executions behind an edge, if there are some.
    fn edge(&mut self, p: ProcId, e: EdgeId, place: usize, mut flow: Flow<'a>) -> Option<Option<Flow<'a>>> {
        self.steps += 1;
        if self.steps > self.limit || self.bounds.stop.load(Ordering::Relaxed) {
            return None;
        }
        if self.avoid.contains(&(p, e)) {
            return Some(None);
        }
        self.covered.executed.insert((p, e));
        let enc = self.walk.enc;
        let op = &enc.program.procs[p].edges[e].op;
        match op {
            Op::Call { callee: Callee::Direct(q), .. } if enc.program.procs[*q].has_body => {
                return self.call(p, e, *q, place, flow);
            }
            Op::Check(check, condition) => {
                let holds = self.with_state(&mut flow, |unroller| {
                    enc.cond(condition, &mut unroller.walk.state, &mut unroller.walk.out.facts)
                });
                if !self.assumed(&mut flow) {
                    return Some(None);
                }
                let formula = flow.guard.with(holds.not());
                if (formula.as_bool() != Some(false) || self.induction.is_some()) && !self.is_assuming() {
                    let reached = flow.guard.with(Term::bool(true));
                    self.failures.push(Failing { check: *check, place, edge: (p, e), reached, formula });
                }
                if !flow.guard.add(&holds) {
                    return Some(None);
                }
            }
            _ => {
                self.with_state(&mut flow, |unroller| unroller.walk.edge(0, p, e, false));
                self.walk.out.symbols.clear();
                if !self.assumed(&mut flow) {
                    self.is_closed(p, e);
                    return Some(None);
                }
            }
        }
        flow.from = vec![Arrival { place, step: PathStep::Edge(p, e), guard: flow.guard.clone() }];
        Some(Some(flow))
    }

    /// Joins executions into a location that others may have reached.
    pub(crate) fn arrive(&mut self, l: LocId, mut flow: Flow<'a>, flows: &mut Flows<'a>) {
        let Some(there) = flows.get_mut(&l) else {
            flows.insert(l, flow);
            return;
        };
        let (guard, first) = there.guard.joined(&flow.guard);
        there.state.join(&mut flow.state, &first, &mut self.walk.out.facts);
        there.guard = guard;
        there.from.append(&mut flow.from);
    }
}

pub(crate) fn collect(parts: &[Part], into: &mut BTreeSet<LocId>) {
    for part in parts {
        match part {
            Part::Location(l) => _ = into.insert(*l),
            Part::Loop(head, inner) => {
                into.insert(*head);
                collect(inner, into);
            }
        }
    }
}

impl Flow<'_> {
    pub(crate) fn copy(&self) -> Self {
        Flow { state: self.state.clone(), guard: self.guard.clone(), from: vec![] }
    }
}
