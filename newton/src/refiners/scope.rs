//! From conditions over a path's activations to predicates of one procedure.
//!
//! A condition that holds at a step may name variables of the frame on top, of its callers, and globals. A caller's
//! variable cannot change while the callee runs (unless through a pointer), so it is replaced by an expression over
//! the callee's entry values that equals it: a formal that was passed that value gives `old(formal)`, and an
//! equation known at the call gives `old(global)`. What cannot be replaced makes the atom useless in this frame.

use crate::refiners::unfold::Unfolding;
use crate::refiners::weakest_precondition::solve;
use crate::refuted::Refuted;
use crate::{Discovered, Refiner};
use alias::{AliasOracle, stable_formals};
use encoding::IntMode;
use ir::visit::walk_reads;
use ir::{Base, BinOp, Expr, Lvalue, ProcId, Program, Type, VarId};
use predicates::Predicate;
use predicates::normal::{LinearAtom, Normal, linear_atom, normalise};
use predicates::weakest_precondition::collapse;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many calls up a value is followed.
const CLIMB: usize = 8;

/// Turns atoms into predicates.
pub(crate) struct Scoper<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    unfolding: &'a Unfolding<'a>,
    mode: IntMode,
    at_step: &'a [Rc<Vec<Expr>>],
    /// The formals that keep their entry value for the whole activation.
    stable: FxHashSet<VarId>,
    /// For each activation, once asked for, what is known at its call.
    at_call: Vec<OnceCell<AtCall>>,
}

/// What is known at a call.
struct AtCall {
    /// The atoms of the conditions carried to it, whether they are carried as true or as false: where a pointer may be a
    /// location, what is said of the location matters to what it points to.
    atoms: Vec<Expr>,
    /// The formals that were passed the address of a known location, and that.
    pointers: Vec<(VarId, Lvalue)>,
}

impl<'a> Scoper<'a> {
    /// `at_step[i]` holds the conditions carried to the state before step `i`.
    pub(crate) fn new(refuted: &'a Refuted<'_>, at_step: &'a [Rc<Vec<Expr>>]) -> Scoper<'a> {
        let Refuted { program, oracle, ref unfolding, mode, .. } = *refuted;
        let procs: BTreeSet<ProcId> = unfolding.activations.iter().map(|a| a.proc).collect();
        let stable = procs.into_iter().flat_map(|p| stable_formals(program, oracle, p)).collect();
        let at_call = unfolding.activations.iter().map(|_| OnceCell::new()).collect();
        Scoper { program, oracle, unfolding, mode, at_step, stable, at_call }
    }

    /// Adds the predicates that conditions before step `i` give in its frame; their numbers among those found.
    pub(crate) fn collect(
        &self,
        i: usize,
        conditions: &[Expr],
        refiner: Refiner,
        found: &mut Vec<Discovered>,
    ) -> Vec<usize> {
        let mut numbers = vec![];
        for condition in conditions {
            for predicate in self.predicates(condition, self.unfolding.steps[i].activation) {
                let known = found.iter().position(|d| d.predicate == predicate);
                match known {
                    Some(n) => found[n].is_needed_at(i),
                    None => found.push(Discovered::new(predicate, refiner, i)),
                }
                numbers.push(known.unwrap_or(found.len() - 1));
            }
        }
        numbers
    }

    /// The same of the conditions carried to each step, from the end to the start.
    pub(crate) fn collect_all(&self, refiner: Refiner, found: &mut Vec<Discovered>) {
        let mut behind = vec![];
        for (i, step) in self.unfolding.steps.iter().enumerate().rev() {
            let repeated = self.unfolding.steps.get(i + 1).is_some_and(|next| {
                next.activation == step.activation && Rc::ptr_eq(&self.at_step[i], &self.at_step[i + 1])
            });
            if repeated {
                behind.iter().for_each(|n: &usize| found[*n].is_needed_at(i));
            } else {
                behind = self.collect(i, &self.at_step[i], refiner, found);
            }
        }
    }

    /// The value that a formal or a global had at the entry of the procedure: the thing itself where the procedure
    /// never changes it, else under `old`.
    fn entry(&self, e: Expr, proc: ProcId) -> Expr {
        let unchanged = match &e {
            Expr::Load(lv) => match lv.base {
                Base::Var(v) if self.program.vars[v].proc().is_some() => self.stable.contains(&v),
                _ => !self.oracle.mods(proc).contains(self.oracle.cell(lv)),
            },
            // Anything else was built from entry values.
            _ => true,
        };
        if unchanged { e } else { Expr::Old(Box::new(e)) }
    }

    /// The predicates that an atom gives in an activation's procedure: none when it cannot be said there.
    fn predicates(&self, atom: &Expr, activation: usize) -> Vec<Predicate> {
        let Some(expr) = self.in_frame(atom, activation) else { return vec![] };
        let proc = self.unfolding.activations[activation].proc;
        let mut out = vec![];
        // What is said of entry values is of use only with the formals' relation to them.
        expr.walk(&mut |node| {
            if let Expr::Old(read) = node
                && let Expr::Load(lv) = &**read
                && lv.as_var().is_some_and(|v| self.program.vars[v].proc() == Some(proc))
            {
                let same = Expr::binary(BinOp::Eq, (**read).clone(), node.clone());
                if let Normal::Atom { expr, .. } = normalise(same, self.mode, self.program.signed_wrap) {
                    out.extend(Predicate::new(self.program, expr, Some(proc)).ok());
                }
            }
        });
        for atom in predicates::normal::atoms(&expr, self.mode, self.program.signed_wrap) {
            let Normal::Atom { expr, .. } = normalise(atom, self.mode, self.program.signed_wrap) else {
                continue;
            };
            if let Ok(predicate) = Predicate::new(self.program, expr, Some(proc)) {
                out.push(predicate);
            }
        }
        out
    }

    /// The atom over the program's variables, as seen from the activation.
    fn in_frame(&self, atom: &Expr, activation: usize) -> Option<Expr> {
        let mut usable = true;
        walk_reads(atom, &mut |lv| usable &= self.unfolding.trackable(lv));
        if !usable {
            return None;
        }
        let mut failed = false;
        let expr = atom.clone().map(&mut |node| match node {
            Expr::Load(lv) => self.read(collapse(*lv), activation).unwrap_or_else(|| {
                failed = true;
                Expr::int(0)
            }),
            Expr::AddrOf(lv) => {
                let own = self.own(collapse((*lv).clone()), activation).map(Lvalue::addr);
                own.or_else(|| self.passed_address(&lv, activation)).unwrap_or_else(|| {
                    failed = true;
                    Expr::int(0)
                })
            }
            Expr::Old(read) => self.entry(*read, self.unfolding.activations[activation].proc),
            other => other,
        });
        (!failed).then(|| predicates::normal::mathify(expr, self.mode, self.program.signed_wrap))
    }

    /// The lvalue with a base of the frame or a global.
    fn own(&self, lv: Lvalue, activation: usize) -> Option<Lvalue> {
        match lv.base {
            Base::Deref(_) => Some(lv),
            Base::Var(v) => match self.unfolding.origin(v) {
                None => Some(lv),
                Some((original, a)) if a == activation => Some(Lvalue { base: Base::Var(original), ..lv }),
                Some(_) => None,
            },
        }
    }

    /// The value of a location, in the frame's terms.
    fn read(&self, lv: Lvalue, activation: usize) -> Option<Expr> {
        if let Some(own) = self.own(lv.clone(), activation) {
            return Some(own.load());
        }
        self.through_pointer(&lv, activation).or_else(|| self.entry_value(&lv.load(), activation))
    }

    fn at_call(&self, activation: usize) -> &AtCall {
        self.at_call[activation].get_or_init(|| {
            let mut atoms = vec![];
            for condition in self.at_step[self.unfolding.activations[activation].entered].iter() {
                for atom in predicates::normal::atoms(condition, self.mode, self.program.signed_wrap) {
                    if !atoms.contains(&atom) {
                        atoms.push(atom);
                    }
                }
            }
            let pointers = self.known_pointers(activation, &atoms);
            AtCall { atoms, pointers }
        })
    }

    /// The formals of an activation that were passed the address of a known location: `&x` itself, or a pointer
    /// that is known to be `&x` at the call.
    fn known_pointers(&self, activation: usize, known: &[Expr]) -> Vec<(VarId, Lvalue)> {
        let frame = &self.unfolding.activations[activation];
        let target = |actual: &Expr| {
            // A pointer that was handed down through several calls is followed up to its origin.
            let origins = self.origins(actual, frame.parent);
            origins.iter().find_map(|actual| match actual {
                Expr::AddrOf(lv) => Some((**lv).clone()),
                _ => known.iter().find_map(|c| match c {
                    Expr::Binary(BinOp::Eq, l, r, _) => match (&**l, &**r) {
                        (p, Expr::AddrOf(lv)) | (Expr::AddrOf(lv), p) if p == actual => Some((**lv).clone()),
                        _ => None,
                    },
                    _ => None,
                }),
            })
        };
        frame.actuals.iter().filter_map(|(formal, actual)| Some((*formal, target(actual)?))).collect()
    }

    /// What was passed, as each of the callers says it, the nearest first.
    fn origins(&self, actual: &Expr, caller: Option<usize>) -> Vec<Expr> {
        let mut out = vec![actual.clone()];
        let mut caller = caller;
        while let (Some(above), true) = (caller, out.len() < CLIMB) {
            let last = out.last().expect("the actual itself is there").clone();
            out.push(self.passed(last, above));
            caller = self.unfolding.activations[above].parent;
        }
        out
    }

    /// A location of a caller that a formal points to: `*formal`.
    fn through_pointer(&self, lv: &Lvalue, activation: usize) -> Option<Expr> {
        let proc = self.unfolding.activations[activation].proc;
        self.at_call(activation).pointers.iter().find_map(|(formal, passed)| {
            let inside = passed.base == lv.base && lv.path.starts_with(&passed.path);
            let formal = self.program.read(*formal);
            // The formal's type must be that of the location it is said to point to.
            if !inside || formal.ty().pointee() != Some(&passed.ty) {
                return None;
            }
            let base = Base::Deref(Box::new(self.entry(formal, proc)));
            let path = lv.path[passed.path.len()..].to_vec();
            Some(Lvalue { base, path, ty: lv.ty.clone() }.load())
        })
    }

    /// The address of a caller's location that was passed for a formal.
    fn passed_address(&self, lv: &Lvalue, activation: usize) -> Option<Expr> {
        let proc = self.unfolding.activations[activation].proc;
        let (formal, _) = self.at_call(activation).pointers.iter().find(|(_, passed)| passed == lv)?;
        Some(self.entry(self.program.read(*formal), proc))
    }

    /// The value of a caller's variable by the callee's entry values.
    fn entry_value(&self, read: &Expr, activation: usize) -> Option<Expr> {
        let frame = &self.unfolding.activations[activation];
        for (formal, actual) in &frame.actuals {
            let entry = self.entry(self.program.read(*formal), frame.proc);
            // A value that was handed down through several calls is followed up to its origin.
            let origins = self.origins(actual, frame.parent);
            if let Some(e) = origins.iter().find_map(|actual| self.solve(actual, read, entry.clone())) {
                return Some(e);
            }
        }
        // An equation carried to the call, as true or as false, with globals and what was passed.
        let mut equations = self.at_call(activation).atoms.iter().filter_map(linear_atom);
        equations.find_map(|atom| self.by_equation(&atom, read, activation))
    }

    /// The value of `read` as the equation gives it over entry values.
    fn by_equation(&self, atom: &LinearAtom, read: &Expr, activation: usize) -> Option<Expr> {
        let frame = &self.unfolding.activations[activation];
        if atom.op != BinOp::Eq || self.mode == IntMode::Bits {
            return None;
        }
        solve(atom, read, |term| {
            if self.is_global(term) {
                return Some(self.entry(term.clone(), frame.proc));
            }
            frame.actuals.iter().find_map(|(formal, actual)| {
                self.solve(actual, term, self.entry(self.program.read(*formal), frame.proc))
            })
        })
    }

    /// The expression with the formals of an activation replaced by what was passed for them.
    fn passed(&self, e: Expr, activation: usize) -> Expr {
        let actuals = &self.unfolding.activations[activation].actuals;
        e.map(&mut |node| match &node {
            Expr::Load(lv) => lv
                .as_var()
                .and_then(|v| self.unfolding.origin(v))
                .filter(|(_, a)| *a == activation)
                .and_then(|(v, _)| actuals.iter().find(|(f, _)| *f == v))
                .map_or(node.clone(), |(_, actual)| actual.clone()),
            _ => node,
        })
    }

    fn is_global(&self, term: &Expr) -> bool {
        matches!(term, Expr::Load(lv) if matches!(lv.base, Base::Var(v) if self.unfolding.origin(v).is_none()))
    }

    /// `read`, when the actual is `read` itself or, with mathematical integers, `read + constant` or
    /// `constant - read`.
    fn solve(&self, actual: &Expr, read: &Expr, entry: Expr) -> Option<Expr> {
        if actual == read {
            return Some(entry);
        }
        if self.mode == IntMode::Bits || actual.ty().as_int().is_none() {
            return None;
        }
        let actual = predicates::normal::mathify(actual.clone(), self.mode, self.program.signed_wrap);
        let zero = Expr::Const(0, actual.ty());
        let atom = linear_atom(&Expr::binary(BinOp::Eq, actual, zero))?;
        // actual = k * read - bound
        let [(term, k)] = atom.terms.as_slice() else { return None };
        if term != read || k.abs() != 1 {
            return None;
        }
        let entry = entry.cast(Type::Math);
        let bound = Expr::Const(atom.bound, Type::Math);
        Some(match k {
            1 => Expr::binary(BinOp::Add, entry, bound),
            _ => Expr::binary(BinOp::Sub, Expr::Const(-atom.bound, Type::Math), entry),
        })
    }
}
