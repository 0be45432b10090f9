//! k-induction over the iterations of loops \[SSS00\] with all paths at once: at the head of a loop any state is
//! assumed that differs from the one before the loop only in what the loop writes, and in which the invariants hold;
//! the loop's body is executed once from there. With k > 1 the first k - 1 iterations are executed as they are, and
//! k - 1 iterations that are assumed to fail no check come before the one that is examined. Loops whose number of
//! iterations the program computes from constants are unrolled. A recursive procedure is treated likewise: its calls
//! end in any state in which the invariants of its exit hold, and its body is executed once from any state in which
//! those of its entry do.
//!
//! The invariants among the candidates are found by dropping those that are not implied (the module `houdini` beside
//! this one).
//!
//! Invariant: whatever is assumed at a point of an execution is shown for all earlier points. So an execution that
//! fails a check has a first point at which a check, or a kept invariant, does not hold; the formula of that point
//! has a model.

use super::instances::Deferred;
use super::obligations::Obligation;
use super::{Bounds, COMPUTED, Covered, Cycle, FEASIBLE, Flow, Flows, Graph, Unroller};
use crate::counterexample::{self as broken, Broken, Moment};
use crate::previous_values as older;
use alias::AliasOracle;
use encoding::symbolic::path_state::PathState;
use encoding::{Addresses, Encoder};
use ir::loop_nesting::Part;
use ir::{CheckId, EdgeId, Expr, ForAll, LocId, Lvalue, ProcId, Program};
use smt::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A condition that may hold whenever control reaches a place: the head of a loop, or the entry or exit of a recursive
/// procedure. Operations in it are total.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The place.
    pub at: (ProcId, LocId),
    /// The range of numbers for which the condition holds, if it is about such; the variable [can be
    /// bound](super::can_bind).
    pub for_all: Option<ForAll>,
    /// The condition, about what the procedure can name.
    pub condition: Expr,
}

/// What was shown by induction.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Proved {
    /// The checks that no execution fails, if it fails none before.
    pub checks: BTreeSet<CheckId>,
    /// Those among the checks that no execution reaches.
    pub unreached: BTreeSet<CheckId>,
    /// The candidates that hold as long as no check has failed, by index.
    pub kept: Vec<usize>,
    /// Those that the proofs need.
    pub needed: Vec<usize>,
    /// The candidates that were decided and are not kept, and why, by index.
    pub broken: Vec<Broken>,
    /// Whether these are all checks of the program that executions may reach.
    pub all: bool,
    /// Whether the prover has answered all questions, so that more effort gives nothing more.
    pub conclusive: bool,
    /// What executions may do.
    pub covered: Covered,
}

/// Proves what induction over `k` iterations proves with these candidates, and returns its cost, in the prover's
/// resource units; `None` when the work is too much, calls are nested deeper than the unrolling, or the run was
/// stopped. Calls of the program are direct. The first `wanted` candidates are decided also where no proof can depend
/// on them, as at loops that are unrolled.
pub fn prove(
    program: &Program,
    oracle: &AliasOracle,
    bounds: &Bounds<'_>,
    k: usize,
    candidates: &[Candidate],
    wanted: usize,
) -> (Option<Proved>, u64) {
    let addresses = Addresses::new(program);
    let enc = Encoder { program, oracle, addresses: &addresses, mode: bounds.mode };
    let mut state = PathState::new(&enc, program.entry);
    state.follow_blocks();
    state.follow_opaque(false);
    let mut unroller = Unroller::new(&enc, bounds, &state, FEASIBLE);
    unroller.induction = Some(Induction::new((program, oracle), k, candidates, wanted));
    match unroller.activations(state) {
        Some(()) if !unroller.cut => {
            unroller.instantiate();
            unroller.houdini()
        }
        _ => (None, 0),
    }
}

/// What the induction keeps.
pub(super) struct Induction<'a, 'e> {
    /// How many iterations are considered at once.
    k: usize,
    pub(super) candidates: &'e [Candidate],
    /// How many of the first candidates are decided whether or not a proof may depend on them.
    pub(super) wanted: usize,
    /// The candidates at each place.
    pub(super) at: BTreeMap<(ProcId, LocId), Vec<usize>>,
    /// What the candidates at each place mention.
    pub(super) mentioned: BTreeMap<(ProcId, LocId), Rc<Vec<Lvalue>>>,
    /// Places at which candidates are to hold.
    pub(super) met: BTreeSet<(ProcId, LocId)>,
    /// The pointers among them that lead to known objects, none where numbers become pointers.
    pointers: BTreeMap<(ProcId, LocId), Vec<Expr>>,
    /// Procedures of which some candidate mentions the state at their entry.
    old: BTreeSet<ProcId>,
    pub(super) obligations: Vec<Obligation>,
    /// Where candidates about ranges are assumed.
    pub(super) deferred: Vec<Deferred<'a>>,
    /// What is known of arrays that blocks were written to.
    pub(super) blocks: Vec<(Term, Term)>,
    /// Visits to places so far.
    pub(super) visits: usize,
    /// Candidates that some formula assumes.
    pub(super) assumed: BTreeSet<usize>,
    /// Whether an earlier point of the execution is being encoded, at which everything holds.
    assuming: bool,
    /// Loops that took most of an attempt to unroll them or one around them: not tried again before that one is done.
    long: BTreeSet<(ProcId, LocId)>,
    /// Recursive procedures that are called, and those that were executed.
    called: BTreeSet<ProcId>,
    done: BTreeSet<ProcId>,
}

impl<'e> Induction<'_, 'e> {
    fn new(
        (program, oracle): (&Program, &AliasOracle),
        k: usize,
        candidates: &'e [Candidate],
        wanted: usize,
    ) -> Self {
        let mut at: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let mut mentioned: BTreeMap<_, Vec<Lvalue>> = BTreeMap::new();
        let mut old = BTreeSet::new();
        let mut pointers: BTreeMap<_, Vec<Expr>> = BTreeMap::new();
        let are_addresses = !older::makes_pointers_of_numbers(program);
        for (i, candidate) in candidates.iter().enumerate() {
            at.entry(candidate.at).or_default().push(i);
            let known = mentioned.entry(candidate.at).or_default();
            for lv in broken::mentioned(oracle, candidate) {
                if !known.contains(&lv) {
                    known.push(lv);
                }
            }
            if candidate.condition.has(|e| matches!(e, Expr::Old(_))) {
                old.insert(candidate.at.0);
            } else if are_addresses && candidate.for_all.is_none() {
                let known = pointers.entry(candidate.at).or_default();
                older::known_pointers(oracle, &candidate.condition, known);
            }
        }
        Induction {
            k,
            candidates,
            wanted,
            at,
            mentioned: mentioned.into_iter().map(|(at, lvs)| (at, Rc::new(lvs))).collect(),
            met: BTreeSet::new(),
            pointers,
            old,
            obligations: vec![],
            deferred: vec![],
            blocks: vec![],
            visits: 0,
            assumed: BTreeSet::new(),
            assuming: false,
            long: BTreeSet::new(),
            called: BTreeSet::new(),
            done: BTreeSet::new(),
        }
    }

    /// The pointers to known objects that candidates at the place mention.
    pub(super) fn pointers(&self, at: (ProcId, LocId)) -> Vec<Expr> {
        self.pointers.get(&at).cloned().unwrap_or_default()
    }

    pub(super) fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// The candidates that are decided: those that some proof may depend on, and those that are wanted where they
    /// have a place.
    pub(super) fn decided(&self) -> BTreeSet<usize> {
        let wanted = (0..self.wanted).filter(|i| self.met.contains(&self.candidates[*i].at));
        self.assumed.iter().copied().chain(wanted).collect()
    }

    /// The constant that says that a candidate is an invariant.
    pub(super) fn is_kept(candidate: usize) -> Term {
        Term::constant(&format!("kept!{candidate}"), Sort::Bool)
    }
}

/// What stands for executions of a part of the program, to be taken back.
struct Mark {
    places: usize,
    failures: usize,
    obligations: usize,
    deferred: usize,
    axioms: usize,
    assumed: BTreeSet<usize>,
}

impl<'a, 'e> Unroller<'a, 'e> {
    pub(super) fn induction(&mut self) -> &mut Induction<'a, 'e> {
        self.induction.as_mut().expect("loops and recursion are summarised by induction only")
    }

    /// Whether a point before the examined one is being encoded.
    pub(super) fn is_assuming(&self) -> bool {
        self.induction.as_ref().is_some_and(|i| i.assuming)
    }

    /// Keeps the state at a procedure's entry where candidates mention it.
    pub(super) fn remember_entry(&mut self, p: ProcId, entering: &mut Flow<'a>) {
        if self.induction.as_ref().is_some_and(|i| i.old.contains(&p)) {
            self.with_state(entering, |unroller| unroller.walk.state.at_entry());
        }
    }

    /// Executes the program, and each recursive procedure by itself.
    fn activations(&mut self, state: PathState<'a>) -> Option<()> {
        let entry = self.walk.enc.program.entry;
        let any = |state| Flow { state, guard: Default::default(), from: vec![] };
        self.procedure(entry, any(state.clone()))?;
        loop {
            let induction = self.induction();
            let next = induction.called.difference(&induction.done).next().copied();
            let Some(q) = next else { return Some(()) };
            induction.done.insert(q);
            let mut flow = any(state.anywhere(q));
            self.with_state(&mut flow, |unroller| unroller.walk.state.settle());
            self.remember_entry(q, &mut flow);
            let proc = &self.walk.enc.program.procs[q];
            self.older((q, proc.entry), &mut flow);
            self.assume((q, proc.entry), &mut flow);
            if let Some(mut flow) = self.procedure(q, flow)? {
                self.oblige((q, proc.exit), &mut flow, (Moment::Return, None));
            }
        }
    }

    /// The executions behind a call of a recursive procedure.
    pub(super) fn any_activations(
        &mut self,
        p: ProcId,
        e: EdgeId,
        q: ProcId,
        mut flow: Flow<'a>,
    ) -> Option<Option<Flow<'a>>> {
        let enc = self.walk.enc;
        let proc = &enc.program.procs[q];
        self.induction().called.insert(q);
        self.with_state(&mut flow, |unroller| {
            unroller.walk.enter(p, e, q);
            unroller.walk.state.settle();
        });
        if !self.assumed(&mut flow) {
            return Some(None);
        }
        self.remember_entry(q, &mut flow);
        self.oblige((q, proc.entry), &mut flow, (Moment::Call, None));
        enc.oracle.mods(q).iter().for_each(|cell| flow.state.havoc(cell));
        flow.state.forget_opaque();
        self.older((q, proc.exit), &mut flow);
        self.assume((q, proc.exit), &mut flow);
        self.with_state(&mut flow, |unroller| unroller.walk.leave(p, e, q));
        Some(self.assumed(&mut flow).then_some(flow))
    }

    /// The executions behind a loop.
    pub(super) fn any_turns(
        &mut self,
        at: (ProcId, &Graph),
        head: LocId,
        inner: &[Part],
        flows: &mut Flows<'a>,
    ) -> Option<()> {
        let cycle = self.cycle(at.0, head, inner);
        let entering = flows.remove(&head);
        if cycle.members.iter().any(|l| flows.contains_key(l)) {
            // It is entered elsewhere.
            return None;
        }
        let Some(mut entering) = entering else { return Some(()) };
        entering.from = vec![];
        let long = self.induction().long.clone();
        let exits = match self.unrolled(at, (head, inner), &cycle, &entering)? {
            Some(exits) => exits,
            None => self.summarised(at, (head, inner), &cycle, entering)?,
        };
        self.induction().long = long;
        for (l, flow) in exits {
            self.arrive(l, flow, flows);
        }
        Some(())
    }

    /// One iteration of a loop: the executions that leave it, and those that are back at its head.
    fn turn(
        &mut self,
        at: (ProcId, &Graph),
        (head, inner): (LocId, &[Part]),
        flow: Flow<'a>,
        exits: &mut Vec<(LocId, Flow<'a>)>,
    ) -> Option<Option<Flow<'a>>> {
        let mut flows = Flows::default();
        flows.insert(head, flow);
        self.location(at, head, &mut flows)?;
        self.parts(at, inner, &mut flows)?;
        let back = flows.remove(&head);
        let mut left: Vec<_> = flows.into_iter().collect();
        left.sort_by_key(|(l, _)| *l);
        exits.extend(left);
        Some(back)
    }

    /// The executions that leave a loop whose number of iterations the program computes from constants; `None` inside
    /// for other loops.
    fn unrolled(
        &mut self,
        at: (ProcId, &Graph),
        parts: (LocId, &[Part]),
        cycle: &Rc<Cycle>,
        entering: &Flow<'a>,
    ) -> Option<Option<Vec<(LocId, Flow<'a>)>>> {
        if self.induction().long.contains(&(at.0, parts.0)) {
            return Some(None);
        }
        let (mark, steps) = (self.mark(), self.steps);
        let limit = self.limit;
        self.limit = limit.min(self.steps + COMPUTED);
        let mut exits = vec![];
        let mut flow = Some(entering.copy());
        for turn in 0..=self.bounds.turns {
            let Some(mut start) = flow.take() else { break };
            // In another turn around it the loop may be summarised.
            self.oblige((at.0, parts.0), &mut start, (Moment::Arrival(turn), None));
            let outer = self.begin_turn(at.0, cycle);
            let back = self.turn(at, parts, start, &mut exits);
            let is_computed = self.end_turn(outer);
            let Some(back) = back else {
                flow = Some(entering.copy());
                break;
            };
            flow = back;
            if !is_computed {
                break;
            }
        }
        self.limit = limit;
        if flow.is_none() {
            return Some(Some(exits));
        }
        if self.steps - steps > COMPUTED / 2 {
            self.induction().long.insert((at.0, parts.0));
        }
        self.take_back(mark);
        Some(None)
    }

    /// The executions that leave a loop after any number of iterations.
    fn summarised(
        &mut self,
        at: (ProcId, &Graph),
        parts: (LocId, &[Part]),
        cycle: &Cycle,
        entering: Flow<'a>,
    ) -> Option<Vec<(LocId, Flow<'a>)>> {
        let place = (at.0, parts.0);
        let k = self.induction().k;
        let mut exits = vec![];
        let mut any = entering.copy();
        let mut first = Some(entering);
        if k > 1 {
            // Either there are few turns, or this stands for the last of many.
            let is_first = self.walk.out.facts.fresh(Sort::Bool);
            any.guard.add(&is_first.not());
            first.iter_mut().for_each(|flow| _ = flow.guard.add(&is_first));
        }
        for turn in 0..k {
            let Some(mut flow) = first.take() else { break };
            self.oblige(place, &mut flow, (Moment::Arrival(turn), None));
            if turn + 1 < k {
                first = self.turn(at, parts, flow, &mut exits)?;
            }
        }
        cycle.mods.iter().for_each(|cell| any.state.havoc(cell));
        any.state.forget_opaque();
        self.older(place, &mut any);
        self.assume(place, &mut any);
        let outer = self.is_assuming();
        let mut last = Some(any);
        for _ in 1..k {
            let Some(flow) = last.take() else { break };
            self.induction().assuming = true;
            let back = self.turn(at, parts, flow, &mut vec![]);
            self.induction().assuming = outer;
            last = back?;
            if let Some(flow) = &mut last {
                self.assume(place, flow);
            }
        }
        if let Some(mut flow) = last {
            let before = self.terms_at(place, &mut flow.state);
            if let Some(mut back) = self.turn(at, parts, flow, &mut exits)? {
                self.oblige(place, &mut back, (Moment::Turn, Some(&before)));
            }
        }
        Some(exits)
    }

    fn mark(&mut self) -> Mark {
        Mark {
            places: self.places.len(),
            failures: self.failures.len(),
            obligations: self.induction().obligations.len(),
            deferred: self.induction().deferred.len(),
            axioms: self.walk.out.facts.axioms.len(),
            assumed: self.induction().assumed.clone(),
        }
    }

    fn take_back(&mut self, mark: Mark) {
        self.places.truncate(mark.places);
        self.failures.truncate(mark.failures);
        self.induction().obligations.truncate(mark.obligations);
        self.induction().deferred.truncate(mark.deferred);
        self.induction().assumed = mark.assumed;
        // What other states need they say again.
        self.walk.out.facts.axioms.truncate(mark.axioms);
        self.asserted = self.asserted.min(mark.axioms);
    }
}
