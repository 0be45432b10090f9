//! The whole program as Horn clauses \[BGMR15\], and their solution by Spacer \[KGC14\] as candidates for invariants: each visit to
//! the head of a loop is a relation over the scalars of the activations there, what is executed between two of them is one clause
//! with all its paths, and calls are executed in their place.
//!
//! A flow of executions that begins in a relation carries the relation's name as a conjunct of its guard; where flows meet that
//! begin in different ones, each has a clause of its own. What memory holds, and products of unknown numbers, are arbitrary
//! values, so the clauses allow more than the program does.
//!
//! Invariant: nothing depends on a solution. Its parts are candidates, which an induction has to show.

use super::{Bounds, FEASIBLE, Flow, Flows, Graph, Unroller};
use crate::k_induction::Candidate;
use alias::{AliasOracle, CellKind, CellSet, live_cells};
use encoding::symbolic::cone::Cones;
use encoding::symbolic::path_state::{PathState, Place};
use encoding::{Addresses, Encoder, State, value_sort};
use ir::loop_nesting::Part;
use ir::{Base, Expr, LocId, Lvalue, ProcId, Program};
use predicates::atoms;
use rustc_hash::FxHashMap;
use smt::horn::linear;
use smt::horn::{Atom, Clause, Horn, Solution};
use smt::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most relations, and most parameters of one.
const RELATIONS: usize = 60;
const PARAMETERS: usize = 80;

/// Most conditions that one solution gives for one relation.
const CONDITIONS: usize = 24;

/// What came of solving the program's clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// Conditions for the heads of loops.
    Candidates(Vec<Candidate>),
    /// The effort was too little.
    GaveUp,
    /// More effort gives nothing: the clauses have no solution, or the program has none that can be made.
    Nothing,
}

/// Conditions for the heads of loops, from a solution of the program's clauses, with at most the effort of `bounds` each time Spacer
/// is asked. Calls of the program are direct, its integers mathematical; where calls recur there is nothing.
pub fn solve(program: &Program, oracle: &AliasOracle, bounds: &Bounds<'_>) -> Solved {
    let addresses = Addresses::new(program);
    let enc = Encoder { program, oracle, addresses: &addresses, mode: bounds.mode };
    let state = PathState::new(&enc, program.entry);
    let mut unroller = Unroller::new(&enc, bounds, &state, FEASIBLE);
    unroller.clauses = Some(Clauses::default());
    let flow = Flow { state, guard: Default::default(), from: vec![] };
    match unroller.procedure(program.entry, flow) {
        Some(_) if !unroller.cut => unroller.solution(),
        _ => Solved::Nothing,
    }
}

/// What the unrolling keeps to make clauses of.
#[derive(Default)]
pub(super) struct Clauses {
    relations: Vec<Relation>,
    arrivals: Vec<Arriving>,
    live: FxHashMap<ProcId, Rc<base::IndexVec<LocId, CellSet>>>,
}

/// A visit to the head of a loop.
struct Relation {
    at: (ProcId, LocId),
    slots: Vec<Slot>,
}

/// A parameter of a relation.
struct Slot {
    place: Place,
    /// Whether the procedure can name it.
    own: bool,
    constant: Term,
}

/// Executions that reach a relation with these values.
struct Arriving {
    guard: Term,
    relation: usize,
    values: Vec<Term>,
}

/// The conjunct of guards that says that executions begin in the relation.
fn name(relation: usize) -> Term {
    Term::constant(&format!("at!{relation}"), Sort::Bool)
}

impl<'a> Unroller<'a, '_> {
    fn clauses(&mut self) -> &mut Clauses {
        self.clauses.as_mut().expect("loops are relations where clauses are made")
    }

    /// The executions that leave a loop, from any state in the relation of its head.
    pub(super) fn related_turns(
        &mut self,
        at: (ProcId, &Graph),
        (head, inner): (LocId, &[Part]),
        mods: &CellSet,
        flows: &mut Flows<'a>,
    ) -> Option<()> {
        let Some(mut entering) = flows.remove(&head) else { return Some(()) };
        entering.from = vec![];
        let relation = self.relation((at.0, head), mods, &mut entering)?;
        self.arriving(relation, &mut entering);
        let mut any = entering;
        mods.iter().for_each(|cell| any.state.havoc(cell));
        for slot in &self.clauses.as_ref()?.relations[relation].slots {
            any.state.put(slot.place, slot.constant.clone());
        }
        any.guard = Default::default();
        any.guard.add(&name(relation));
        flows.insert(head, any);
        self.location(at, head, flows)?;
        self.parts(at, inner, flows)?;
        if let Some(mut back) = flows.remove(&head) {
            self.arriving(relation, &mut back);
        }
        Some(())
    }

    /// The relation of a visit to a head; `None` where there are too many, or it has too many parameters.
    fn relation(&mut self, at: (ProcId, LocId), mods: &CellSet, flow: &mut Flow<'a>) -> Option<usize> {
        let (program, oracle) = (self.walk.enc.program, self.walk.enc.oracle);
        let live = self.clauses().live.entry(at.0);
        let live = live.or_insert_with(|| Rc::new(live_cells(program, oracle, at.0))).clone();
        let number = self.clauses().relations.len();
        // What the loop writes has a value from now on.
        for cell in mods.iter() {
            if let CellKind::Scalar { var, ty, .. } = oracle.cell_kind(cell)
                && program.vars[*var].proc().is_none_or(|p| p == at.0)
            {
                flow.state.scalar(cell, ty, &mut self.walk.out.facts);
            }
        }
        let mut slots = vec![];
        for (place, value, own) in flow.state.stored() {
            let is_live = !own || live[at.1].contains(place.cell);
            let changes = own && mods.contains(place.cell);
            if is_live && (changes || !value.is_literal()) {
                let CellKind::Scalar { ty, .. } = oracle.cell_kind(place.cell) else { continue };
                let sort = value_sort(ty, self.bounds.mode, program.model);
                let constant = Term::constant(&format!("r{number}!{}", slots.len()), sort);
                self.walk.out.facts.in_range(&constant, ty, self.bounds.mode);
                slots.push(Slot { place, own, constant });
            }
        }
        if number >= RELATIONS || slots.len() > PARAMETERS {
            return None;
        }
        self.clauses().relations.push(Relation { at, slots });
        Some(number)
    }

    /// Records that executions reach the relation.
    fn arriving(&mut self, relation: usize, flow: &mut Flow<'a>) {
        let guard = flow.guard.with(Term::bool(true));
        let oracle = self.walk.enc.oracle;
        let facts = &mut self.walk.out.facts;
        let Some(clauses) = &mut self.clauses else { return };
        let value = |slot: &Slot| match (flow.state.get(slot.place), oracle.cell_kind(slot.place.cell)) {
            (None, CellKind::Scalar { ty, .. }) if slot.own => flow.state.scalar(slot.place.cell, ty, facts),
            (None, _) => facts.fresh(slot.constant.sort().clone()),
            (Some(value), _) => value,
        };
        let values = clauses.relations[relation].slots.iter().map(value).collect();
        clauses.arrivals.push(Arriving { guard, relation, values });
    }

    /// The conditions that a solution of the clauses consists of. The ranges of types are left out at first: most solutions need
    /// none, and are found sooner.
    fn solution(mut self) -> Solved {
        let Some(clauses) = self.clauses.take().filter(|clauses| !clauses.relations.is_empty()) else {
            return Solved::Nothing;
        };
        let cones = Cones::of_axioms(&self.walk.out.facts.axioms);
        let arrivals = clauses.arrivals.iter().map(|a| (&a.guard, Some((a.relation, &a.values))));
        let failures = self.failures.iter().map(|f| (&f.formula, None));
        let all: Vec<_> = arrivals.chain(failures).collect();
        for ranges in [false, true] {
            let mut horn = Horn::default();
            horn.relations.extend(clauses.relations.iter().map(Relation::constants));
            for (guard, head) in &all {
                horn.clauses.extend(clauses.clauses(&cones, guard, *head, ranges));
            }
            match horn.solve(self.bounds.rlimit, self.bounds.interrupt) {
                Solution::Solved(formulas) => {
                    return Solved::Candidates(self.candidates(&clauses, &formulas));
                }
                Solution::Unknown(_) => return Solved::GaveUp,
                Solution::Derivable => {}
            }
        }
        Solved::Nothing
    }

    /// The formulas as conditions, as far as the procedures can name what they are about.
    fn candidates(&self, clauses: &Clauses, formulas: &[Term]) -> Vec<Candidate> {
        let mut out: Vec<Candidate> = vec![];
        let mut counts: BTreeMap<(ProcId, LocId), usize> = BTreeMap::new();
        for (relation, formula) in clauses.relations.iter().zip(formulas) {
            let location = |constant: &Term| {
                let slot = relation.slots.iter().find(|s| s.constant == *constant && s.own)?;
                self.named(slot.place)
            };
            let parts = match formula.op() {
                smt::Op::And => formula.args().to_vec(),
                _ => vec![formula.clone()],
            };
            let whole = parts.iter().filter_map(|part| atoms::as_condition(part, &location));
            for condition in whole.chain(atoms::atoms(formula, &location)) {
                let count = counts.entry(relation.at).or_default();
                let candidate = Candidate { at: relation.at, for_all: None, condition };
                if *count < CONDITIONS
                    && candidate.condition.as_const().is_none()
                    && !out.contains(&candidate)
                {
                    *count += 1;
                    out.push(candidate);
                }
            }
        }
        out
    }

    fn named(&self, place: Place) -> Option<Expr> {
        let CellKind::Scalar { var, path, ty } = self.walk.enc.oracle.cell_kind(place.cell) else {
            return None;
        };
        Some(Lvalue { base: Base::Var(*var), path: path.clone(), ty: ty.clone() }.load())
    }
}

impl Relation {
    fn constants(&self) -> Vec<Term> {
        self.slots.iter().map(|slot| slot.constant.clone()).collect()
    }
}

impl Clauses {
    /// One clause for each relation that executions with this guard may begin in, or a fact. `ranges`: with the axioms that
    /// define nothing.
    fn clauses(
        &self,
        cones: &Cones,
        guard: &Term,
        head: Option<(usize, &Vec<Term>)>,
        ranges: bool,
    ) -> Vec<Clause> {
        let values = head.into_iter().flat_map(|(_, values)| values);
        let axioms = cones.about([guard].into_iter().chain(values), ranges);
        let whole = Term::and([guard.clone()].into_iter().chain(axioms.into_iter().cloned()));
        let mut mentioned: BTreeSet<usize> = BTreeSet::new();
        let constants: BTreeSet<Term> = whole.constants().into_iter().collect();
        mentioned.extend((0..self.relations.len()).filter(|r| constants.contains(&name(*r))));
        let from = mentioned.iter().copied().map(Some).chain(mentioned.is_empty().then_some(None));
        let clause = |from: Option<usize>| {
            let told = mentioned.iter().map(|r| (name(*r), Term::bool(Some(*r) == from))).collect();
            let of = |term: &Term| term.substitute(&told);
            let constraint = of(&whole);
            let body = from.map(|r| Atom { relation: r, args: self.relations[r].constants() });
            let head =
                head.map(|(relation, values)| Atom { relation, args: values.iter().map(of).collect() });
            let clause = Clause { body: body.into_iter().collect(), constraint, head };
            (clause.constraint.as_bool() != Some(false)).then(|| linear(clause))
        };
        from.filter_map(clause).collect()
    }
}
