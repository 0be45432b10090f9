//! The graph of a path as Horn clauses, with one relation for each cut, and their solution as conditions.
//!
//! Where calls are steps of their own, a relation is over the values at the procedure's entry and those at the cut,
//! and a completed call is a clause with two relations before the arrow: that of the caller's cut and that of the
//! callee's exit. So every condition is about one frame, with `old(…)` for entry values. For one path the
//! solution is a tree of interpolants ([`Refiner::Tree`](crate::Refiner)); with the procedures
//! folded it is a set of summaries that hold for every depth of recursion. Where calls are parts of segments
//! (\[BHMR07\]), a relation is about all frames of its stack.

use crate::refiners::path_program::{Cut, Fold, Graph, Segment, Way};
use crate::refiners::scalars::{Key, Scalars, Walk};
use crate::refuted::Refuted;
use alias::{CellKind, CellSet, live_cells};
use encoding::symbolic::walk::Role;
use encoding::{Addresses, SideConditions};
use ir::{Base, Expr, Lvalue, ProcId};
use smt::RLIMIT;
use smt::Term;
use smt::horn::linear;
use smt::horn::{Atom, Clause, Horn, Solution};
use std::collections::{BTreeMap, BTreeSet};

/// The resource limit for a system of clauses.
const HORN_RLIMIT: u64 = RLIMIT / 16;

/// The same with calls as clauses. Systems that have a solution in few atoms need a tenth of it; with two relations
/// before the arrow the work for the others grows fast (the time even faster).
const CALLS_RLIMIT: u64 = HORN_RLIMIT / 6;

/// Which conditions matter (all, or those of the core), and whether the ranges of types, and what makes operations
/// defined, are part of the clauses: the cheapest first.
const ATTEMPTS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// Clauses that have a solution, and the solution.
pub(crate) struct Solved<'a> {
    clauses: Clauses<'a>,
    formulas: Vec<Term>,
}

/// Solves the clauses of the graph; `None` when they have no solution that is found.
pub(crate) fn solve<'a>(
    refuted: &'a Refuted<'_>,
    graph: &'a Graph,
    addresses: &'a Addresses,
) -> Option<Solved<'a>> {
    let rlimit = if graph.fold == Fold::Loops { HORN_RLIMIT } else { CALLS_RLIMIT };
    let mut gave_up = 0;
    for (everything, ranges) in ATTEMPTS {
        let wanted = |i| everything || refuted.in_core(i, Role::Condition);
        let scalars = Scalars::new(
            refuted.encoder(addresses),
            &refuted.unfolding,
            &graph.frame_of,
            &graph.steps(),
            wanted,
        );
        let clauses = Clauses::new(scalars, graph, ranges);
        let horn = clauses.horn();
        match horn.solve(rlimit, refuted.interrupt) {
            // The answer is asked again of a prover that has nothing to do with it.
            Solution::Solved(formulas) if horn.is_solved_by(&formulas, &mut refuted.prover(HORN_RLIMIT)) => {
                return Some(Solved { clauses, formulas });
            }
            Solution::Solved(_) | Solution::Derivable => {}
            Solution::Unknown(_) => gave_up += 1,
        }
        // More conditions make no system easier that was too hard twice.
        if gave_up == 2 || refuted.interrupt.is_set() {
            break;
        }
    }
    None
}

impl Solved<'_> {
    /// The atoms of the formula at a cut, for an activation; those that no expression can say are left out.
    pub(crate) fn atoms(&self, cut: usize, activation: usize) -> Vec<Expr> {
        let Clauses { scalars, graph, .. } = &self.clauses;
        let unfolding = scalars.unfolding;
        let params = self.clauses.params(cut);
        let constants: Vec<Term> = params.iter().map(|p| self.clauses.constant(*p)).collect();
        let activation_of = |frame: usize| {
            let mut callers = std::iter::successors(Some(activation), |a| unfolding.activations[*a].parent);
            callers.find(|a| graph.frame_of[*a] == frame)
        };
        let location = |constant: &Term| -> Option<Expr> {
            let param = params[constants.iter().position(|c| c == constant)?];
            let (frame, cell) = param.key;
            let CellKind::Scalar { var, path, ty } = scalars.enc.oracle.cell_kind(cell) else { return None };
            let var = match frame {
                None => *var,
                Some(frame) => unfolding.local(*var, activation_of(frame)?)?,
            };
            let read = Lvalue { base: Base::Var(var), path: path.clone(), ty: ty.clone() }.load();
            Some(if param.old { Expr::Old(Box::new(read)) } else { read })
        };
        predicates::atoms::atoms(&self.formulas[cut], &location)
    }
}

/// An argument of a relation: the present value, or that at the entry of the procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Param {
    key: Key,
    old: bool,
}

struct Clauses<'a> {
    scalars: Scalars<'a>,
    graph: &'a Graph,
    ranges: bool,
    /// For each frame the locations that differ from their entry values somewhere.
    written: BTreeMap<usize, BTreeSet<Key>>,
    /// For each cut the cells that matter behind it.
    live: Vec<CellSet>,
}

impl<'a> Clauses<'a> {
    fn new(scalars: Scalars<'a>, graph: &'a Graph, ranges: bool) -> Clauses<'a> {
        let mut out = Clauses { scalars, graph, ranges, written: BTreeMap::new(), live: vec![] };
        if graph.fold != Fold::Loops {
            let enc = &out.scalars.enc;
            let mut of_procs = BTreeMap::new();
            for Cut { at: (p, l), .. } in &graph.cuts {
                let cells = of_procs.entry(*p).or_insert_with(|| live_cells(enc.program, enc.oracle, *p));
                out.live.push(cells[*l].clone());
            }
            out.close_written();
        }
        out
    }

    fn frame(&self, cut: usize) -> usize {
        self.graph.cuts[cut].frame
    }

    /// Global locations are written by a procedure when one that it calls does. The passing of arguments changes nothing.
    fn close_written(&mut self) {
        for segment in &self.graph.segments {
            for i in segment.way.steps() {
                let writer = match segment.way {
                    Way::Enter(_) => continue,
                    Way::Leave { .. } => self.scalars.caller(i),
                    Way::Run(_) => self.scalars.frame(i),
                };
                self.written.entry(writer).or_default().extend(self.scalars.writes(i));
            }
        }
        loop {
            let mut grown = false;
            for segment in &self.graph.segments {
                let (Way::Enter(_), Some(to)) = (&segment.way, segment.to) else { continue };
                let inside = self.written.get(&self.frame(to)).cloned().unwrap_or_default();
                let outside = self.written.entry(self.graph.cuts[segment.from].frame).or_default();
                for key in inside.into_iter().filter(|k| k.0.is_none()) {
                    grown |= outside.insert(key);
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// Whether the location's value at the entry of the frame must be kept apart.
    fn has_old(&self, frame: usize, key: Key) -> bool {
        self.written.get(&frame).is_some_and(|w| w.contains(&key))
    }

    fn is_formal(&self, p: ProcId, key: Key) -> bool {
        let program = self.scalars.enc.program;
        match self.scalars.enc.oracle.cell_kind(key.1) {
            CellKind::Scalar { var, .. } => program.procs[p].formals.contains(var),
            _ => false,
        }
    }

    /// The arguments of the relation at a cut.
    fn params(&self, cut: usize) -> Vec<Param> {
        let Cut { frame, is_exit, at: (p, _) } = self.graph.cuts[cut];
        let visible = |k: &&Key| k.0.is_none_or(|of| self.graph.sees(frame, of));
        let keys = self.scalars.relevant.iter().filter(visible).copied();
        if self.graph.fold == Fold::Loops {
            return keys.map(|key| Param { key, old: false }).collect();
        }
        let enc = &self.scalars.enc;
        let is_entry = p == enc.program.entry;
        let ret = enc.program.procs[p].ret.map(|r| enc.oracle.cell(&enc.program.lvalue(r)));
        let ret = ret.and_then(|cell| self.scalars.key(cell, frame));
        let mut out = vec![];
        for key in keys {
            let of_entry = key.0.is_none() || self.is_formal(p, key);
            let old = of_entry && !is_entry && self.has_old(frame, key);
            if old {
                out.push(Param { key, old: true });
            }
            let wanted = if is_exit {
                key.0.is_none() || Some(key) == ret || of_entry && !old
            } else {
                key.0.is_none() || of_entry && !old || self.live[cut].contains(key.1)
            };
            if wanted {
                out.push(Param { key, old: false });
            }
        }
        out
    }

    fn constant(&self, param: Param) -> Term {
        self.scalars.constant_called(if param.old { "old." } else { "" }, param.key)
    }

    fn constants(&self, cut: usize) -> Vec<Term> {
        self.params(cut).into_iter().map(|p| self.constant(p)).collect()
    }

    fn horn(&self) -> Horn {
        let mut horn = Horn::default();
        horn.relations.extend((0..self.graph.cuts.len()).map(|cut| self.constants(cut)));
        horn.clauses.push(Clause {
            body: vec![],
            constraint: Term::bool(true),
            head: Some(Atom { relation: 0, args: self.constants(0) }),
        });
        horn.clauses.extend(self.graph.segments.iter().map(|segment| self.clause(segment)));
        horn
    }

    fn clause(&self, segment: &Segment) -> Clause {
        let mut facts = SideConditions::new("any");
        let mut conditions = vec![];
        let mut body = vec![];
        let mut before = segment.from;
        let args = match &segment.way {
            Way::Run(steps) => {
                let mut walk = Walk::new(&self.scalars);
                steps.clone().for_each(|i| walk.step(i, &mut facts));
                conditions.append(&mut walk.conditions);
                segment.to.map(|to| self.arguments(to, &mut walk, &mut facts))
            }
            Way::Enter(step) => segment.to.map(|to| self.at_entry(*step, to, &mut facts)),
            Way::Leave { step, caller } => {
                before = *caller;
                let (callee, returned) = self.at_exit(*step, segment.from, &mut facts);
                body.push(Atom { relation: segment.from, args: callee });
                segment.to.map(|to| self.behind(*step, to, returned, &mut facts))
            }
        };
        body.insert(0, Atom { relation: before, args: self.constants(before) });
        if self.ranges {
            conditions.append(&mut facts.axioms);
            conditions.append(&mut facts.defined);
        }
        let head = segment.to.zip(args).map(|(to, args)| Atom { relation: to, args });
        linear(Clause { body, constraint: Term::and(conditions), head })
    }

    /// The arguments of the relation at a cut in the state of the walk.
    fn arguments(&self, to: usize, walk: &mut Walk<'_, 'a>, facts: &mut SideConditions) -> Vec<Term> {
        let value = |p: Param| if p.old { self.constant(p) } else { walk.value(p.key, facts) };
        self.params(to).into_iter().map(value).collect()
    }

    /// The arguments of the relation at a callee's entry.
    fn at_entry(&self, step: usize, callee: usize, facts: &mut SideConditions) -> Vec<Term> {
        let passed = Walk::new(&self.scalars).assigned(step, facts);
        let mut value = |p: Param| match passed.iter().find(|(key, _)| *key == p.key) {
            Some((_, value)) => value.clone(),
            None if p.key.0.is_none() => self.scalars.constant(p.key),
            None => self.scalars.fresh(p.key, facts),
        };
        self.params(callee).into_iter().map(&mut value).collect()
    }

    /// The arguments of the relation at a callee's exit, and those among them that the call gives values.
    fn at_exit(&self, step: usize, exit: usize, facts: &mut SideConditions) -> (Vec<Term>, Vec<(Key, Term)>) {
        let unfolding = self.scalars.unfolding;
        let entered = unfolding.activations[unfolding.steps[step].activation].entered;
        let passed = Walk::new(&self.scalars).assigned(entered, facts);
        let mut returned: Vec<(Key, Term)> = vec![];
        let mut args = vec![];
        for p in self.params(exit) {
            let kept = p.old || !self.has_old(self.frame(exit), p.key);
            let entry = match passed.iter().find(|(key, _)| *key == p.key) {
                Some((_, value)) => Some(value.clone()),
                None => p.key.0.is_none().then(|| self.scalars.constant(p.key)),
            };
            args.push(entry.filter(|_| kept).unwrap_or_else(|| {
                let value = self.scalars.fresh(p.key, facts);
                returned.push((p.key, value.clone()));
                value
            }));
        }
        (args, returned)
    }

    /// The arguments of the relation at the caller's cut behind a call, from what was returned.
    fn behind(
        &self,
        step: usize,
        to: usize,
        returned: Vec<(Key, Term)>,
        facts: &mut SideConditions,
    ) -> Vec<Term> {
        let mut walk = Walk::new(&self.scalars);
        let globals: Vec<(Key, Term)> = returned.iter().filter(|(key, _)| key.0.is_none()).cloned().collect();
        walk.values.extend(returned);
        walk.step(step, facts);
        // The callee's variables may have the names of the caller's.
        let result = self.scalars.writes(step).into_iter().map(|key| (key, walk.value(key, facts)));
        let result: Vec<(Key, Term)> = result.collect();
        let mut walk = Walk::new(&self.scalars);
        walk.values.extend(globals.into_iter().chain(result));
        self.arguments(to, &mut walk, facts)
    }
}
