//! Horn clauses with one relation for each position of each procedure, over the values at the procedure's entry and
//! those at the position. A completed call is a clause with two relations before the arrow: that of the caller's
//! position and that of the callee's exit. So every predicate speaks of one frame, with `old(…)` for entry values.
//!
//! Of one path the solution is a tree of interpolants (refiner c of the design's algorithms, section 4); with the
//! procedures folded it is a set of summaries that hold for every depth of recursion.

use crate::feasible::Role;
use crate::folded::{Cut, Fold, Folded, Segment, Way, is_recursive};
use crate::horn::{ATTEMPTS, HORN_RLIMIT, is_inductive};
use crate::invariants::atoms;
use crate::refine::{Chain, collect};
use crate::refuted::Refuted;
use crate::scalars::{Key, Scalars, Walk, linear};
use crate::scope::Scoper;
use crate::{Discovered, Refiner};
use cmm::analysis::{CellKind, CellSet, live_cells};
use cmm::{Base, Callee, Expr, Lvalue, Op, PathStep, ProcId};
use pred::{Addresses, Encoder, Facts, IntMode};
use rustc_hash::FxHashMap;
use smt::Term;
use smt::horn::{Atom, Clause, Horn, Solution};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The resource limit for a system of clauses with calls. Systems that have a solution in few atoms need a tenth of
/// it; with two relations before the arrow the work for the others grows fast (the time even faster).
const RECURSION_RLIMIT: u64 = HORN_RLIMIT / 6;

/// Paths with more cuts than this are left to the other refiners.
const MOST_CUTS: usize = 400;

/// Predicates from the interpolants of the path by itself.
pub(crate) fn of_path(refuted: &Refuted<'_>) -> Vec<Discovered> {
    find(refuted, Fold::Nothing, Refiner::Tree)
}

/// Predicates from summaries of the path's procedures, when one of them is recursive.
pub(crate) fn of_program(refuted: &Refuted<'_>) -> Vec<Discovered> {
    if is_recursive(refuted.oracle, &refuted.unfolding) {
        find(refuted, Fold::Procedures, Refiner::Loops)
    } else {
        vec![]
    }
}

fn find(refuted: &Refuted<'_>, fold: Fold, refiner: Refiner) -> Vec<Discovered> {
    if refuted.mode == IntMode::Bits {
        return vec![];
    }
    let folded = Folded::new(refuted.program, refuted.path, &refuted.unfolding, fold);
    if folded.cuts.len() > MOST_CUTS {
        return vec![];
    }
    let addresses = Addresses::new(refuted.program);
    let (program, oracle, mode) = (refuted.program, refuted.oracle, refuted.mode);
    let nodes: Vec<usize> =
        refuted.unfolding.steps.iter().map(|s| folded.of_activation[s.activation]).collect();
    let mut gave_up = 0;
    for (everything, ranges) in ATTEMPTS {
        let enc = Encoder { program, oracle, addresses: &addresses, mode };
        let wanted = |i| everything || refuted.in_core(i, Role::Condition);
        let scalars = Scalars::new(enc, refuted.path, nodes.clone(), &folded.steps(), wanted);
        let builder = Builder::new(scalars, &folded, ranges);
        let horn = builder.clauses();
        match horn.solve(RECURSION_RLIMIT, refuted.interrupt) {
            Solution::Solved(formulas) if is_inductive(&horn, &formulas, refuted) => {
                return builder.predicates(&formulas, refuted, refiner);
            }
            Solution::Solved(_) | Solution::Derivable => {}
            Solution::Unknown(_) => gave_up += 1,
        }
        // More conditions make no system easier that was too hard twice.
        if gave_up == 2 || refuted.interrupt.is_set() {
            break;
        }
    }
    vec![]
}

/// An argument of a relation: the present value, or that at the entry of the procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Param {
    key: Key,
    old: bool,
}

struct Builder<'a, 'f> {
    scalars: Scalars<'a>,
    folded: &'f Folded,
    ranges: bool,
    /// For each frame the locations that differ from their entry values somewhere.
    written: BTreeMap<usize, BTreeSet<Key>>,
    /// For each cut the cells that matter behind it.
    live: Vec<CellSet>,
}

impl<'a, 'f> Builder<'a, 'f> {
    fn new(scalars: Scalars<'a>, folded: &'f Folded, ranges: bool) -> Builder<'a, 'f> {
        let mut of_procs = BTreeMap::new();
        let mut live = |cut: &Cut| -> CellSet {
            let (p, l) = cut.at;
            let enc = &scalars.enc;
            let cells = of_procs.entry(p).or_insert_with(|| live_cells(enc.program, enc.oracle, p));
            cells[l].clone()
        };
        let live = folded.cuts.iter().map(&mut live).collect();
        let mut out = Builder { scalars, folded, ranges, written: BTreeMap::new(), live };
        out.close_written();
        out
    }

    fn node(&self, cut: usize) -> usize {
        self.folded.cuts[cut].node
    }

    /// Global locations are written by a procedure when one that it calls does.
    fn close_written(&mut self) {
        for i in self.folded.steps() {
            for (node, key) in self.writes(i) {
                self.written.entry(node).or_default().insert(key);
            }
        }
        loop {
            let mut grown = false;
            for segment in &self.folded.segments {
                let (Way::Enter(_), Some(to)) = (&segment.way, segment.to) else { continue };
                let inside = self.written.get(&self.node(to)).cloned().unwrap_or_default();
                let outside = self.written.entry(self.folded.cuts[segment.from].node).or_default();
                for key in inside.into_iter().filter(|k| k.0.is_none()) {
                    grown |= outside.insert(key);
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// What a step writes, with the frame that does it; formals at a call are not among it.
    fn writes(&self, i: usize) -> Vec<(usize, Key)> {
        let scalars = &self.scalars;
        let node = scalars.nodes[i];
        let one = |lv: &Lvalue, node: usize| -> Vec<(usize, Key)> {
            scalars.place(lv, node).into_iter().map(|k| (node, k)).collect()
        };
        match scalars.path.steps[i] {
            PathStep::Enter(..) => vec![],
            PathStep::Leave(p, e, _) => match scalars.op(p, e) {
                Op::Call { dest: Some(dest), .. } => one(dest, scalars.node_after(i)),
                _ => vec![],
            },
            PathStep::Edge(p, e) => {
                let op = scalars.op(p, e);
                let mut out: Vec<_> = match op {
                    Op::Call { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => {
                        let cells = scalars.enc.oracle.edge_mods(p, e).iter();
                        cells.filter_map(|c| scalars.key(c, node)).map(|k| (node, k)).collect()
                    }
                    _ => vec![],
                };
                out.extend(cmm::analysis::visit::destination(op).into_iter().flat_map(|lv| one(lv, node)));
                out
            }
        }
    }

    /// Whether the location's value at the entry of the frame must be kept apart.
    fn has_old(&self, node: usize, key: Key) -> bool {
        self.written.get(&node).is_some_and(|w| w.contains(&key))
    }

    fn is_formal(&self, p: ProcId, key: Key) -> bool {
        let program = self.scalars.enc.program;
        match self.scalars.enc.oracle.cell_kind(key.1) {
            CellKind::Scalar { var, .. } => program.procs[p].formals.contains(var),
            _ => false,
        }
    }

    /// The arguments of the relation at a cut position.
    fn params(&self, cut: usize) -> Vec<Param> {
        let Cut { node, is_exit, at: (p, _) } = self.folded.cuts[cut];
        let scalars = &self.scalars;
        let is_entry = p == scalars.enc.program.entry;
        let ret = scalars.enc.program.procs[p].ret.map(|r| scalars.enc.program.lvalue(r));
        let ret = ret.and_then(|lv| scalars.place(&lv, node));
        let mut out = vec![];
        for key in scalars.relevant.iter().filter(|k| k.0.is_none_or(|n| n == node)).copied() {
            let of_entry = key.0.is_none() || self.is_formal(p, key);
            let old = of_entry && !is_entry && self.has_old(node, key);
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
        let now = self.scalars.constant(param.key);
        if !param.old {
            return now;
        }
        let (node, cell) = param.key;
        let node = node.map_or_else(String::new, |n| format!("{n}."));
        Term::constant(&format!("old.{node}{cell}"), now.sort().clone())
    }

    fn constants(&self, cut: usize) -> Vec<Term> {
        self.params(cut).into_iter().map(|p| self.constant(p)).collect()
    }

    fn clauses(&self) -> Horn {
        let mut horn = Horn::default();
        horn.relations.extend((0..self.folded.cuts.len()).map(|cut| self.constants(cut)));
        horn.clauses.push(Clause {
            body: vec![],
            constraint: Term::bool(true),
            head: Some(Atom { relation: 0, args: self.constants(0) }),
        });
        horn.clauses.extend(self.folded.segments.iter().map(|segment| self.clause(segment)));
        horn
    }

    fn walk(&self, node: usize) -> Walk<'_, 'a> {
        Walk { scalars: &self.scalars, node, values: FxHashMap::default(), entered: BTreeSet::new() }
    }

    fn clause(&self, segment: &Segment) -> Clause {
        let mut facts = Facts::new("any");
        let mut conditions = vec![];
        let mut body = vec![];
        let mut before = segment.from;
        let args = match &segment.way {
            Way::Run(steps) => {
                let mut walk = self.walk(self.node(segment.from));
                for i in steps.clone() {
                    let last = i + 1 == self.scalars.path.steps.len();
                    walk.step(i, last, &mut facts, &mut conditions);
                }
                segment.to.map(|to| self.after_run(to, &mut walk, &mut facts))
            }
            Way::Enter(step) => segment.to.map(|to| self.at_entry(*step, segment.from, to, &mut facts)),
            Way::Leave { step, caller } => {
                before = *caller;
                let (callee, args) = self.at_return(*step, *caller, segment, &mut facts);
                body.push(Atom { relation: segment.from, args: callee });
                args
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

    fn after_run(&self, to: usize, walk: &mut Walk<'_, 'a>, facts: &mut Facts) -> Vec<Term> {
        let value = |p: Param| {
            if p.old { self.constant(p) } else { walk.value(p.key, self.scalars.ty(p.key), facts) }
        };
        self.params(to).into_iter().map(value).collect()
    }

    /// What is passed for the formals that matter at a call.
    fn passed(&self, step: usize, caller: usize, callee: usize, facts: &mut Facts) -> Vec<(Key, Term)> {
        let (PathStep::Enter(p, e, q) | PathStep::Leave(p, e, q)) = self.scalars.path.steps[step] else {
            panic!("calls are steps that enter or leave");
        };
        let Op::Call { args, callee: Callee::Direct(_), .. } = self.scalars.op(p, e) else {
            panic!("a path enters procedures at direct calls only");
        };
        let program = self.scalars.enc.program;
        let (outside, inside) = (self.node(caller), self.node(callee));
        let mut walk = self.walk(outside);
        let mut out = vec![];
        for (formal, actual) in program.procs[q].formals.iter().zip(args) {
            if let Some(key) = self.scalars.place(&program.lvalue(*formal), inside)
                && self.scalars.relevant.contains(&key)
            {
                out.push((key, self.scalars.enc.value(actual, &mut walk, facts)));
            }
        }
        out
    }

    /// The arguments of the relation at a callee's entry.
    fn at_entry(&self, step: usize, caller: usize, callee: usize, facts: &mut Facts) -> Vec<Term> {
        let passed = self.passed(step, caller, callee, facts);
        let mut value = |p: Param| match passed.iter().find(|(key, _)| *key == p.key) {
            Some((_, value)) => value.clone(),
            None if p.key.0.is_none() => self.scalars.constant(p.key),
            None => self.fresh(p.key, facts),
        };
        self.params(callee).into_iter().map(&mut value).collect()
    }

    fn fresh(&self, key: Key, facts: &mut Facts) -> Term {
        let enc = &self.scalars.enc;
        facts.fresh_value(self.scalars.ty(key), enc.mode, enc.program.model)
    }

    /// The arguments of the relations at a callee's exit and at the caller's position behind the call.
    fn at_return(
        &self,
        step: usize,
        caller: usize,
        segment: &Segment,
        facts: &mut Facts,
    ) -> (Vec<Term>, Option<Vec<Term>>) {
        let exit = segment.from;
        let passed = self.passed(step, caller, exit, facts);
        let mut returned: Vec<(Key, Term)> = vec![];
        let mut at_exit = vec![];
        for p in self.params(exit) {
            let kept = p.old || !self.has_old(self.node(exit), p.key);
            let entry = match passed.iter().find(|(key, _)| *key == p.key) {
                Some((_, value)) => Some(value.clone()),
                None => p.key.0.is_none().then(|| self.scalars.constant(p.key)),
            };
            at_exit.push(match entry.filter(|_| kept) {
                Some(value) => value,
                None => {
                    let value = self.fresh(p.key, facts);
                    returned.push((p.key, value.clone()));
                    value
                }
            });
        }
        let behind = segment.to.map(|to| self.behind(step, to, &returned, facts));
        (at_exit, behind)
    }

    /// The caller's values behind a call, from what was returned.
    fn behind(&self, step: usize, to: usize, returned: &[(Key, Term)], facts: &mut Facts) -> Vec<Term> {
        let PathStep::Leave(p, e, callee) = self.scalars.path.steps[step] else {
            panic!("calls are left by their steps");
        };
        let scalars = &self.scalars;
        let program = scalars.enc.program;
        let mut walk = self.walk(self.node(to));
        let globals = returned.iter().filter(|(key, _)| key.0.is_none());
        walk.values.extend(globals.map(|(key, value)| (*key, value.clone())));
        if let Op::Call { dest: Some(dest), .. } = scalars.op(p, e)
            && let Some(key) = scalars.place(dest, self.node(to))
        {
            let inside = scalars.nodes[step];
            let ret = program.procs[callee].ret.filter(|r| program.vars[*r].ty == dest.ty);
            let ret = ret.and_then(|r| scalars.place(&program.lvalue(r), inside));
            let value = ret.and_then(|r| returned.iter().find(|(key, _)| *key == r));
            let value = match value {
                Some((_, value)) => value.clone(),
                None => self.fresh(key, facts),
            };
            walk.values.insert(key, value);
        }
        self.after_run(to, &mut walk, facts)
    }

    /// The atoms of the formulas, and what they need along the segments, as predicates.
    fn predicates(&self, formulas: &[Term], refuted: &Refuted<'_>, refiner: Refiner) -> Vec<Discovered> {
        let unfolding = &refuted.unfolding;
        let nothing = Rc::new(vec![]);
        let nothing = vec![nothing; unfolding.steps.len() + 1];
        let scoper = Scoper::new(refuted.program, refuted.oracle, unfolding, &nothing, refuted.mode);
        let mut found = vec![];
        for segment in self.folded.segments.iter().rev() {
            let first = match &segment.way {
                Way::Run(steps) => steps.start,
                Way::Enter(step) | Way::Leave { step, .. } => *step,
            };
            let activation = unfolding.steps[first].activation;
            if let Way::Run(steps) = &segment.way {
                let mut chain = Chain::new(refuted.wp(), unfolding);
                let end = segment.to.map(|to| self.atoms(to, &formulas[to], activation, refuted));
                let is_last = end.is_none();
                chain.restart(end.unwrap_or_default());
                for i in steps.clone().rev() {
                    let wanted = is_last && refuted.in_core(i, Role::Condition);
                    for action in unfolding.steps[i].actions.iter().rev() {
                        chain.back(action, wanted);
                    }
                    if i > first {
                        collect(&scoper, activation, i, &chain.conjuncts, refiner, &mut found);
                    }
                }
            }
            let here = self.atoms(segment.from, &formulas[segment.from], activation, refuted);
            collect(&scoper, activation, first, &here, refiner, &mut found);
        }
        found
    }

    fn atoms(&self, cut: usize, formula: &Term, activation: usize, refuted: &Refuted<'_>) -> Vec<Expr> {
        let params = self.params(cut);
        let constants: Vec<Term> = params.iter().map(|p| self.constant(*p)).collect();
        let location = |constant: &Term| -> Option<Expr> {
            let param = params[constants.iter().position(|c| c == constant)?];
            let CellKind::Scalar { var, path, ty } = refuted.oracle.cell_kind(param.key.1) else {
                return None;
            };
            let var = match param.key.0 {
                None => *var,
                Some(_) => refuted.unfolding.local(*var, activation)?,
            };
            let read = Lvalue { base: Base::Var(var), path: path.clone(), ty: ty.clone() }.load();
            Some(if param.old { Expr::Old(Box::new(read)) } else { read })
        };
        atoms(formula, &location)
    }
}
