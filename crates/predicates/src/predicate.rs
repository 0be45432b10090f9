//! Predicates, scopes and precisions.
//!
//! A predicate is a condition without side effects, in normal form (see [`crate::normal`]), with the scope in
//! which it is tracked: everywhere (it mentions globals only), or in one procedure (002 slide 17; mixed
//! predicates belong to the procedure whose locals they name), there at all locations or at some. A precision is an
//! ordered set of predicates; ids are given in order of arrival and never change, so that every output is stable.

use base::IndexVec;
use ir::{Base, Expr, LocId, ProcId, Program, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

base::define_id!(
    /// A predicate of a [`Precision`].
    pub PredId, "b"
);

/// Where a predicate is tracked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// In every procedure: only globals occur.
    Global,
    /// In one procedure.
    Proc(ProcId),
}

/// A predicate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Predicate {
    /// The condition, in normal form.
    pub expr: Expr,
    /// Where it is tracked.
    pub scope: Scope,
}

/// Why an expression has no scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScopeError {
    /// It names variables of two procedures.
    TwoProcedures(VarId, VarId),
    /// It has `old(...)` but names no procedure's variables, and none was given.
    OldWithoutProcedure,
}

impl Predicate {
    /// The predicate `expr`, already in normal form. Its scope is the procedure whose variables it names; `within`
    /// is the scope asked for, which an expression over globals alone needs only when it uses `old`.
    ///
    /// # Errors
    /// When variables of two procedures occur (`within` counts as one).
    pub fn new(program: &Program, expr: Expr, within: Option<ProcId>) -> Result<Predicate, ScopeError> {
        let mut seen: Option<(ProcId, VarId)> = None;
        let mut clash = None;
        let has_old = expr.has(|e| matches!(e, Expr::Old(_)));
        for v in variables(&expr) {
            if let Some(p) = program.vars[v].proc() {
                match seen {
                    None => seen = Some((p, v)),
                    Some((q, w)) if p != q => clash = Some((w, v)),
                    Some(_) => {}
                }
            }
        }
        if let Some((v, w)) = clash {
            return Err(ScopeError::TwoProcedures(v, w));
        }
        let scope = match (seen, within) {
            (Some((p, v)), Some(q)) if p != q => return Err(ScopeError::TwoProcedures(v, v)),
            (Some((p, _)), _) => Scope::Proc(p),
            (None, Some(q)) if has_old => Scope::Proc(q),
            (None, None) if has_old => return Err(ScopeError::OldWithoutProcedure),
            (None, _) => Scope::Global,
        };
        Ok(Predicate { expr, scope })
    }

    /// The text that names its boolean variable: C, without braces around it.
    pub fn text(&self, program: &Program) -> String {
        ir::print::expr(program, &self.expr)
    }
}

/// The variables that occur in an expression, each once, in order of first occurrence.
pub fn variables(expr: &Expr) -> Vec<VarId> {
    let mut out = vec![];
    expr.walk(&mut |e| {
        if let Expr::Load(lv) | Expr::AddrOf(lv) = e
            && let Base::Var(v) = lv.base
            && !out.contains(&v)
        {
            out.push(v);
        }
    });
    out
}

/// An ordered set of predicates.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    preds: IndexVec<PredId, Predicate>,
    /// The locations where a procedure's predicate is tracked; `None`: all.
    locations: IndexVec<PredId, Option<BTreeSet<LocId>>>,
    ids: FxHashMap<Predicate, PredId>,
}

impl Precision {
    /// The empty precision.
    pub fn new() -> Precision {
        Precision::default()
    }

    /// Adds a predicate, to be tracked at all locations of its scope; the flag says whether that is new.
    pub fn add(&mut self, predicate: Predicate) -> (PredId, bool) {
        if let Some(id) = self.ids.get(&predicate) {
            return (*id, self.locations[*id].take().is_some());
        }
        (self.insert(predicate, None), true)
    }

    /// Adds a predicate, to be tracked at these locations of its procedure (besides those where it is tracked
    /// already); the flag says whether that is new. A predicate over globals alone is tracked everywhere.
    pub fn add_at(&mut self, predicate: Predicate, locations: BTreeSet<LocId>) -> (PredId, bool) {
        if predicate.scope == Scope::Global {
            return self.add(predicate);
        }
        let Some(id) = self.ids.get(&predicate) else {
            return (self.insert(predicate, Some(locations)), true);
        };
        let Some(known) = &mut self.locations[*id] else { return (*id, false) };
        let before = known.len();
        known.extend(locations);
        (*id, before < known.len())
    }

    fn insert(&mut self, predicate: Predicate, locations: Option<BTreeSet<LocId>>) -> PredId {
        let id = self.preds.push(predicate.clone());
        self.locations.push(locations);
        self.ids.insert(predicate, id);
        id
    }

    /// The locations of its procedure where the predicate is tracked; `None` when it is tracked everywhere there.
    pub fn locations(&self, id: PredId) -> Option<&BTreeSet<LocId>> {
        self.locations[id].as_ref()
    }

    /// Whether the predicate is in the set.
    pub fn contains(&self, predicate: &Predicate) -> bool {
        self.ids.contains_key(predicate)
    }

    /// The predicate.
    pub fn get(&self, id: PredId) -> &Predicate {
        &self.preds[id]
    }

    /// All predicates in id order.
    pub fn iter(&self) -> impl Iterator<Item = (PredId, &Predicate)> {
        self.preds.iter_enumerated()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.preds.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.preds.is_empty()
    }

    /// The predicates tracked everywhere, in id order.
    pub fn global(&self) -> Vec<PredId> {
        self.ids_where(|s| s == Scope::Global)
    }

    /// The predicates of one procedure, in id order, without the global ones.
    pub fn of_proc(&self, p: ProcId) -> Vec<PredId> {
        self.ids_where(|s| s == Scope::Proc(p))
    }

    /// The predicates that can be seen in a procedure: global ones first, then its own.
    pub fn in_scope(&self, p: ProcId) -> Vec<PredId> {
        let mut ids = self.global();
        ids.extend(self.of_proc(p));
        ids
    }

    fn ids_where(&self, keep: impl Fn(Scope) -> bool) -> Vec<PredId> {
        self.preds.iter_enumerated().filter(|(_, p)| keep(p.scope)).map(|(id, _)| id).collect()
    }
}
