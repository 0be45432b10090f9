//! The scalar locations that matter to the conditions of a path, and the state along a stretch of the path over
//! constants for their values where it begins: what the clauses for the path's graph are made of.
//!
//! Contents of memory, products and bit operations have arbitrary values. So the clauses allow more than the
//! program does, and a solution holds for the program also. Nothing depends on that: predicates are only tried.

use crate::refiners::unfold::{Action, Unfolding};
use alias::{CellId, CellKind};
use encoding::state::map_sort;
use encoding::value_sort;
use encoding::{Encoder, SideConditions, State};
use ir::{Base, Expr, Lvalue, Type, VarId};
use rustc_hash::FxHashMap;
use smt::Term;
use std::collections::BTreeSet;

/// A scalar location of one frame, or a global one (`None`).
pub(crate) type Key = (Option<usize>, CellId);

/// The locations that matter.
pub(crate) struct Scalars<'a> {
    pub enc: Encoder<'a>,
    pub unfolding: &'a Unfolding<'a>,
    /// For each activation its frame.
    frame_of: &'a [usize],
    pub relevant: BTreeSet<Key>,
}

impl<'a> Scalars<'a> {
    /// Those that the wanted conditions read, and those from which these get their values. `steps` are the ones
    /// to look at.
    pub(crate) fn new(
        enc: Encoder<'a>,
        unfolding: &'a Unfolding<'a>,
        frame_of: &'a [usize],
        steps: &[usize],
        wanted: impl Fn(usize) -> bool,
    ) -> Scalars<'a> {
        let mut out = Scalars { enc, unfolding, frame_of, relevant: BTreeSet::new() };
        for (_, step) in unfolding.steps.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            for action in &step.actions {
                if let Action::Assume(c) = action {
                    let reads = out.reads(c, step.activation);
                    out.relevant.extend(reads);
                }
            }
        }
        loop {
            let before = out.relevant.len();
            for i in steps.iter().rev() {
                let step = &unfolding.steps[*i];
                for action in &step.actions {
                    if let Action::Assign(lv, value) = action
                        && out.place(lv, step.activation).is_some_and(|k| out.relevant.contains(&k))
                    {
                        let reads = out.reads(value, step.activation);
                        out.relevant.extend(reads);
                    }
                }
            }
            if out.relevant.len() == before {
                return out;
            }
        }
    }

    /// The frame on top before a step.
    pub(crate) fn frame(&self, step: usize) -> usize {
        self.frame_of[self.unfolding.steps[step].activation]
    }

    /// The frame of the activation, or of the one that called it.
    pub(crate) fn caller(&self, step: usize) -> usize {
        let activation = self.unfolding.steps[step].activation;
        self.frame_of[self.unfolding.activations[activation].parent.unwrap_or(activation)]
    }

    pub(crate) fn key(&self, cell: CellId, frame: usize) -> Option<Key> {
        match self.enc.oracle.cell_kind(cell) {
            CellKind::Scalar { var, .. } => Some((self.enc.program.vars[*var].proc().map(|_| frame), cell)),
            _ => None,
        }
    }

    /// The location of an unfolded lvalue that is evaluated in this activation.
    pub(crate) fn place(&self, lv: &Lvalue, activation: usize) -> Option<Key> {
        let owner = match lv.base {
            Base::Var(v) => self.unfolding.origin(v).map_or(activation, |(_, a)| a),
            Base::Deref(_) => activation,
        };
        self.key(self.unfolding.cell(lv), self.frame_of[owner])
    }

    fn reads(&self, e: &Expr, activation: usize) -> Vec<Key> {
        let mut out = vec![];
        e.loads(&mut |lv| out.extend(self.place(lv, activation)));
        out
    }

    /// What the actions of a step write.
    pub(crate) fn writes(&self, step: usize) -> Vec<Key> {
        let activation = self.unfolding.steps[step].activation;
        let written = |action: &Action| match action {
            Action::Assign(lv, _) | Action::Havoc(lv) | Action::Fresh { dest: lv, .. } => {
                self.place(lv, activation).into_iter().collect()
            }
            Action::HavocCells(cells) => {
                cells.iter().filter_map(|c| self.key(*c, self.frame(step))).collect::<Vec<_>>()
            }
            Action::Assume(_) => vec![],
        };
        self.unfolding.steps[step].actions.iter().flat_map(written).collect()
    }

    pub(crate) fn ty(&self, key: Key) -> &'a Type {
        match self.enc.oracle.cell_kind(key.1) {
            CellKind::Scalar { ty, .. } => ty,
            _ => panic!("only scalar cells are arguments of relations"),
        }
    }

    pub(crate) fn constant(&self, key: Key) -> Term {
        self.constant_called("", key)
    }

    pub(crate) fn constant_called(&self, prefix: &str, (frame, cell): Key) -> Term {
        let frame = frame.map_or_else(String::new, |n| format!("{n}."));
        let sort = value_sort(self.ty((None, cell)), self.enc.mode, self.enc.program.model);
        Term::constant(&format!("{prefix}{frame}{cell}"), sort)
    }

    /// Any value of the location's type.
    pub(crate) fn fresh(&self, key: Key, facts: &mut SideConditions) -> Term {
        facts.fresh_value(self.ty(key), self.enc.mode, self.enc.program.model)
    }
}

/// The state along a segment, over the constants of where it begins.
pub(crate) struct Walk<'b, 'a> {
    scalars: &'b Scalars<'a>,
    /// The frame in which expressions are evaluated.
    frame: usize,
    pub values: FxHashMap<Key, Term>,
    /// Frames that began in the segment: what they have not written is arbitrary.
    entered: BTreeSet<usize>,
    /// What must hold for the steps so far to be taken.
    pub conditions: Vec<Term>,
}

impl<'b, 'a> Walk<'b, 'a> {
    pub(crate) fn new(scalars: &'b Scalars<'a>) -> Walk<'b, 'a> {
        let (values, entered) = (FxHashMap::default(), BTreeSet::new());
        Walk { scalars, frame: 0, values, entered, conditions: vec![] }
    }

    pub(crate) fn value(&mut self, key: Key, facts: &mut SideConditions) -> Term {
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let scalars = self.scalars;
        let begun = key.0.is_some_and(|n| self.entered.contains(&n));
        let value = if scalars.relevant.contains(&key) && !begun {
            let value = scalars.constant(key);
            facts.in_range(&value, scalars.ty(key), scalars.enc.mode);
            value
        } else {
            scalars.fresh(key, facts)
        };
        self.values.insert(key, value.clone());
        value
    }

    /// The values that a step assigns to relevant locations.
    pub(crate) fn assigned(&mut self, i: usize, facts: &mut SideConditions) -> Vec<(Key, Term)> {
        let scalars = self.scalars;
        let step = &scalars.unfolding.steps[i];
        self.frame = scalars.frame(i);
        let mut out = vec![];
        for action in &step.actions {
            if let Action::Assign(lv, value) = action
                && let Some(key) = scalars.place(lv, step.activation).filter(|k| scalars.relevant.contains(k))
            {
                out.push((key, scalars.enc.value(&scalars.unfolding.folded(value), self, facts)));
            }
        }
        out
    }

    /// Takes the state over a step of the path.
    pub(crate) fn step(&mut self, i: usize, facts: &mut SideConditions) {
        let assigned = self.assigned(i, facts);
        let scalars = self.scalars;
        let step = &scalars.unfolding.steps[i];
        if let Some(entered) = step.enters {
            let inside = scalars.frame_of[entered];
            self.values.retain(|k, _| k.0 != Some(inside));
            self.entered.insert(inside);
        }
        self.values.extend(assigned);
        for action in &step.actions {
            match action {
                Action::Assign(..) => {}
                Action::Havoc(_) | Action::HavocCells(_) => {
                    for key in scalars.writes(i) {
                        let value = scalars.fresh(key, facts);
                        self.values.insert(key, value);
                    }
                }
                Action::Fresh { dest, may_fail } => {
                    if let Some(key) = scalars.place(dest, step.activation) {
                        let address = self.new_address(*may_fail, facts);
                        self.values.insert(key, address);
                    }
                }
                Action::Assume(c) => {
                    let reads = scalars.reads(c, step.activation);
                    if reads.is_empty() || reads.iter().any(|k| scalars.relevant.contains(k)) {
                        let holds = scalars.enc.cond(&scalars.unfolding.folded(c), self, facts);
                        self.conditions.push(holds);
                    }
                }
            }
        }
    }

    /// The address of a new object, behind those of all variables.
    fn new_address(&self, may_fail: bool, facts: &mut SideConditions) -> Term {
        let enc = &self.scalars.enc;
        let ty = Type::Void.ptr_to();
        let fresh = facts.fresh_value(&ty, enc.mode, enc.program.model);
        let placed = enc.literal(enc.addresses.end(), &ty).int_le(&fresh);
        let null = fresh.equal(&enc.literal(0, &ty));
        facts.axioms.push(if may_fail { Term::or([null, placed]) } else { placed });
        fresh
    }
}

impl State for Walk<'_, '_> {
    fn scalar(&mut self, cell: CellId, _: &Type, facts: &mut SideConditions) -> Term {
        let key = self.scalars.key(cell, self.frame).expect("only scalar cells are read directly");
        self.value(key, facts)
    }

    fn map(&mut self, _: CellId, ty: &Type, facts: &mut SideConditions) -> Term {
        facts.fresh(map_sort(ty, self.scalars.enc.mode, self.scalars.enc.program))
    }

    fn address(&mut self, var: VarId) -> i128 {
        self.scalars.enc.addresses.var(var)
    }

    fn entry(&mut self) -> &mut dyn State {
        panic!("edges of a program do not mention old(...)")
    }
}
