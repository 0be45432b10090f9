//! Bounded model checking \[BCCZ99\]: all paths of the program up to a bound on the iterations of each loop, as one
//! formula. Paths that meet at a location are merged, so the formula grows with the statements that are executed and
//! not with the paths. Where no execution takes more iterations, the program is decided. On the same encoding of
//! programs: k-induction, Houdini, and Horn clauses.
//!
//! The encoding is that of single paths (`newton::decide`): over-approximations there are over-approximations here
//! as well. So the answer "no check fails" covers every execution, and a path that is found is a claim which the
//! decision about that path, and its replay, have to confirm.
//!
//! Invariant: executions that are left out are noted (`cut`), and nothing is safe then; so are executions that may be
//! impossible (`further`), and nothing is safe unless all of these turn out to be impossible. The crate must not know
//! boolean programs, decision diagrams or concrete executions.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use bmc::{Bounds, Unrolled, unroll};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "three iterations";
//!     proc void main(void) { local int n; local int i; entry L0; exit L5;
//!     L0: havoc(n, input "n"); goto L1; L1: i = 0; goto L2;
//!     L2 loop: assume(i < n); goto L3; assume(i >= n); goto L4;
//!     L3: i = i + 1; goto L2;
//!     L4: check(c0, i != 3); goto L5; L5: }"#;
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let (stop, interrupt, mode) = (false.into(), smt::Interrupt::new(), encoding::IntMode::Bits);
//! let (rlimit, total) = (10_000_000, 10_000_000);
//! let bounds = Bounds { mode, turns: 3, steps: 1_000, rlimit, total, stop: &stop, interrupt: &interrupt };
//! let Unrolled::Fails(path) = unroll(&program, &oracle, &bounds, Some(rlimit)) else { panic!("n may be 3") };
//! assert_eq!(path.steps.len(), 10);
//! # Ok(())
//! # }
//! ```

mod calls;
pub mod counterexample;
mod decide;
mod guard;
pub mod horn;
mod houdini;
mod instances;
pub mod k_induction;
mod obligations;
mod previous_values;
mod products;
mod queries;
#[cfg(test)]
mod tests;

pub use instances::can_bind;

use alias::{AliasOracle, CellSet};
use base::IndexVec;
use encoding::symbolic::path_state::PathState;
use encoding::symbolic::walk::Walk;
use encoding::{Addresses, Encoder, IntMode};
use guard::Guard;
use horn::Clauses;
use ir::{BinOp, Callee, CheckId, EdgeId, Expr, LocId, Op, Path, PathStep, ProcId, Program};
use ir::{
    loop_nesting::{Part, nesting},
    visit,
};
use k_induction::Induction;
use queries::{FEASIBLE, Possible};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Interrupt, Sort, Term, Z3Prover};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far the program is unrolled.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// How integers are modelled.
    pub mode: IntMode,
    /// The most iterations of a loop, each time it is entered.
    pub turns: usize,
    /// The most edges that are executed.
    pub steps: usize,
    /// Z3's resource limit for the question whether a check fails; the questions of an induction have parts of it.
    pub rlimit: u64,
    /// The same for all questions of an induction together, and the most for any.
    pub total: u64,
    /// Set when the work is to end.
    pub stop: &'a AtomicBool,
    /// Stops the prover.
    pub interrupt: &'a Interrupt,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unrolled {
    /// No execution fails a check, and this covers them all.
    Safe(Covered),
    /// The path to a check that fails, says the encoding.
    Fails(Path),
    /// No check fails within the bounds, but executions may go beyond them.
    Beyond,
    /// Executions may go beyond the bounds, and whether a check fails within them was too much work, or not asked.
    Undecided,
    /// Whether a check fails was too much work, and no execution is known to go beyond the bounds.
    Hard {
        /// None does.
        ends: bool,
    },
    /// No answer: the work was too much, or it was stopped.
    GaveUp,
}

/// What executions do, all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Covered {
    /// How often they come back to the head of each loop, each time they enter it, at most.
    pub turns: BTreeMap<(ProcId, LocId), usize>,
    /// The most turns of any loop, without those that the program computes with constants: unrolled so far, it is covered again.
    pub counted: usize,
    /// The edges that they may execute.
    pub executed: BTreeSet<(ProcId, EdgeId)>,
}

/// The most activations on top of each other that are unrolled.
pub const DEPTH: usize = 32;

/// How integers are modelled in unrolling: as bit-vectors, of which a search for one state is faster; but where the loop
/// takes mathematical ones and the program multiplies or divides numbers that are not known, as there.
pub fn mode(program: &Program, mode: IntMode) -> IntMode {
    let mut multiplies = false;
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |e| {
            multiplies |= is_product(e);
        });
    }
    if multiplies { mode } else { IntMode::Bits }
}

/// Whether the expression multiplies or divides two numbers that are not known.
pub fn is_product(e: &Expr) -> bool {
    match e {
        Expr::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem, l, r, _) => {
            l.as_const().is_none() && r.as_const().is_none()
        }
        _ => false,
    }
}

/// Unrolls a program whose calls are direct. `beyond` is Z3's resource limit for the question whether a check fails where
/// executions go beyond the bounds, so that the answer is not the last one; with `None` it is not asked then.
pub fn unroll(program: &Program, oracle: &AliasOracle, bounds: &Bounds<'_>, beyond: Option<u64>) -> Unrolled {
    unroll_by(program, oracle, bounds, beyond, FEASIBLE, None)
}

/// The same by a guess: in memory that is accessed at several types, places whose addresses have different origins are taken to be
/// different ones, as the objects from outside are in the interpreter; undefined functions write nothing, as there; and no
/// execution takes one of the edges that are to be avoided. A path is a claim as any other; that none is found says nothing of
/// the program.
pub fn guess(
    program: &Program,
    oracle: &AliasOracle,
    bounds: &Bounds<'_>,
    avoid: &BTreeSet<(ProcId, EdgeId)>,
) -> Unrolled {
    unroll_by(program, oracle, bounds, Some(bounds.rlimit), FEASIBLE, Some(avoid))
}

/// The same as [`unroll`] with this limit for the question whether executions go on, and by the guess of [`guess`] if something
/// is to be avoided.
fn unroll_by(
    program: &Program,
    oracle: &AliasOracle,
    bounds: &Bounds<'_>,
    beyond: Option<u64>,
    feasible: u64,
    guess: Option<&BTreeSet<(ProcId, EdgeId)>>,
) -> Unrolled {
    let addresses = Addresses::new(program);
    let enc = Encoder { program, oracle, addresses: &addresses, mode: bounds.mode };
    let mut state = PathState::new(&enc, program.entry);
    state.follow_opaque(guess.is_some());
    let mut unroller = Unroller::new(&enc, bounds, &state, feasible);
    unroller.beyond = beyond;
    unroller.avoid = guess.cloned().unwrap_or_default();
    match unroller.program(state) {
        None => Unrolled::GaveUp,
        Some(answer) => answer,
    }
}

/// Loops in loops, most.
const NESTED: usize = 20;

/// All executions that are at one place.
struct Flow<'a> {
    state: PathState<'a>,
    guard: Guard,
    /// How they came there.
    from: Vec<Arrival>,
}

/// A step that leads to a place.
struct Arrival {
    /// The place before it.
    place: usize,
    step: PathStep,
    guard: Guard,
}

/// A check that may fail at a place.
struct Failing {
    check: CheckId,
    place: usize,
    edge: (ProcId, EdgeId),
    /// That executions come there, and that the check fails then.
    reached: Term,
    formula: Term,
}

/// What is asked of a procedure's graph each time it is entered.
struct Graph {
    parts: Vec<Part>,
    successors: IndexVec<LocId, Vec<EdgeId>>,
}

/// A loop.
struct Cycle {
    members: BTreeSet<LocId>,
    /// What its edges write.
    mods: CellSet,
}

/// A loop that is unrolled at present.
struct Unrolling {
    cycle: Rc<Cycle>,
    at: ProcId,
    depth: usize,
    /// Whether some edge out of it was found to lead nowhere, in this turn: the program computes with constants that it goes on.
    is_closed: bool,
}

/// At most this many edges are executed each time a loop is entered whose number of iterations the program computes
/// from constants.
const COMPUTED: usize = 10_000;

type Flows<'a> = FxHashMap<LocId, Flow<'a>>;

struct Unroller<'a, 'e> {
    bounds: &'e Bounds<'e>,
    /// The limit of the last question where executions go beyond the bounds, if it is asked then.
    beyond: Option<u64>,
    walk: Walk<'a, 'e>,
    prover: Z3Prover,
    /// Axioms that the prover knows: the first ones of the walk, of which no two are alike.
    asserted: usize,
    known: FxHashSet<Term>,
    graphs: FxHashMap<ProcId, Rc<Graph>>,
    /// The places of the unrolling: the steps that lead to each.
    places: Vec<Vec<Arrival>>,
    failures: Vec<Failing>,
    covered: Covered,
    next_address: i128,
    /// Edges that were executed, and the most.
    steps: usize,
    limit: usize,
    /// Activations.
    depth: usize,
    /// Questions whether executions go on, and those without an answer.
    questions: usize,
    unknown: usize,
    /// Some executions were left out.
    cut: bool,
    /// Conditions under which others were: whether they can hold is not known yet.
    further: Vec<Term>,
    /// Edges that are not taken: a guess.
    avoid: BTreeSet<(ProcId, EdgeId)>,
    /// The innermost loop that is unrolled at present.
    unrolled: Option<Unrolling>,
    /// Loops stand for any number of iterations.
    induction: Option<Induction<'a, 'e>>,
    /// Loops are relations of Horn clauses.
    clauses: Option<Clauses>,
    loops: FxHashMap<(ProcId, LocId), Rc<Cycle>>,
}

impl<'a, 'e> Unroller<'a, 'e> {
    /// `feasible` limits each question whether executions go on.
    fn new(
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

    fn program(&mut self, state: PathState<'a>) -> Option<Unrolled> {
        let entry = self.walk.enc.program.entry;
        let flow = Flow { state, guard: Guard::default(), from: vec![] };
        self.procedure(entry, flow)?;
        self.decide()
    }

    /// The executions at the procedure's exit, if there are some; `None` when the work is too much.
    fn procedure(&mut self, p: ProcId, mut entering: Flow<'a>) -> Option<Option<Flow<'a>>> {
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

    fn parts(&mut self, at: (ProcId, &Graph), parts: &[Part], flows: &mut Flows<'a>) -> Option<()> {
        for part in parts {
            match part {
                Part::Location(l) => self.location(at, *l, flows)?,
                Part::Loop(head, inner) => self.turns(at, *head, inner, flows)?,
            }
        }
        Some(())
    }

    /// A loop that is entered at its head only, and what it writes.
    fn cycle(&mut self, p: ProcId, head: LocId, inner: &[Part]) -> Rc<Cycle> {
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
    fn begin_turn(&mut self, at: ProcId, cycle: &Rc<Cycle>) -> Option<Unrolling> {
        self.unrolled.replace(Unrolling { cycle: cycle.clone(), at, depth: self.depth, is_closed: false })
    }

    /// It ends; whether constants alone say that the loop was not left in some place.
    fn end_turn(&mut self, outer: Option<Unrolling>) -> bool {
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
    fn location(&mut self, (p, graph): (ProcId, &Graph), l: LocId, flows: &mut Flows<'a>) -> Option<()> {
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
    fn with_state<R>(&mut self, flow: &mut Flow<'a>, work: impl FnOnce(&mut Self) -> R) -> R {
        std::mem::swap(&mut self.walk.state, &mut flow.state);
        self.walk.state.next_address = self.next_address;
        let result = work(self);
        self.next_address = self.walk.state.next_address;
        self.walk.state.reads.clear();
        std::mem::swap(&mut self.walk.state, &mut flow.state);
        result
    }

    /// Adds what the last steps assume; false when that cannot be.
    fn assumed(&mut self, flow: &mut Flow<'a>) -> bool {
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
    fn arrive(&mut self, l: LocId, mut flow: Flow<'a>, flows: &mut Flows<'a>) {
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

fn collect(parts: &[Part], into: &mut BTreeSet<LocId>) {
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
    fn copy(&self) -> Self {
        Flow { state: self.state.clone(), guard: self.guard.clone(), from: vec![] }
    }
}
