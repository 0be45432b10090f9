//! What an edge does to the places of its procedure, and what a call makes of those of the callee.

use super::dims::{Dim, Dims, plain};
use alias::{AliasOracle, CellSet};
use ir::{Access, Base, Edge, EdgeId, Expr, Lvalue, Op, ProcId, Program, VarKind};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// What an edge does to places, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    /// The places that the edge assigns: a location, after what is known of the pointer in it.
    pub(crate) assigned: Vec<usize>,
    /// Places that may be others, or may have other values, afterwards.
    pub(crate) forgotten: Vec<usize>,
    /// For a call of a procedure with body: how its places are the caller's.
    pub(crate) call: Option<Call>,
}

/// How the places of a callee are the caller's.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) callee: ProcId,
    /// What places of the callee hold at its entry, as expressions of the caller.
    pub(crate) entry: Vec<(usize, Expr)>,
    /// What places of the callee at its exit are for the caller when it has the result.
    pub(crate) exit: Vec<(usize, Behind)>,
}

/// What a place of a callee is behind the call.
#[derive(Debug)]
pub(crate) enum Behind {
    /// This place.
    Place(usize),
    /// The value that this expression had before the call, and has afterwards.
    Argument(Expr),
}

/// What is asked about the edges of one procedure.
pub(crate) struct Asker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) oracle: &'a AliasOracle,
    pub(crate) p: ProcId,
    pub(crate) dims: &'a Dims,
}

impl Asker<'_> {
    /// See [`Effect`]. `callee` gives the places of a procedure and its formals that keep their values.
    pub(crate) fn effect<'c>(&self, e: EdgeId, edge: &Edge, callee: &dyn Fn(ProcId) -> Callee<'c>) -> Effect {
        let mods = self.oracle.edge_mods(self.p, e);
        let dest = edge.op.destination();
        let call = match &edge.op {
            Op::Call { args, .. } => {
                edge.op.calls().filter(|q| self.program.procs[*q].has_body).map(|q| (q, args))
            }
            _ => None,
        };
        let by_name_only =
            !matches!(edge.op, Op::Call { .. } | Op::MemSet { .. } | Op::MemCopy { .. } | Op::Alloc { .. });
        let assigned = dest.map_or(vec![], |lv| self.strong(lv));
        let ends = edge.op.ends().map(Base::Var);
        let changes = |n: &usize| {
            let dim = self.dims.place(*n);
            if dim.reads.intersects(mods) || ends.as_ref() == Some(&dim.lv.base) {
                return true;
            }
            if assigned.contains(n) || !mods.contains(dim.cell) {
                return false;
            }
            !by_name_only || dest.is_none_or(|lv| self.oracle.may_alias(lv, &dim.lv))
        };
        let forgotten = self.dims.ids().filter(changes).collect();
        let call = call.map(|(q, args)| self.call((q, args), dest, mods, &callee(q)));
        Effect { assigned, forgotten, call }
    }

    /// The place that is this location, whatever the state, and what is known of the value in it: that comes first. Of
    /// several names for one location one is taken, as each new value is computed from the old ones.
    fn strong(&self, lv: &Lvalue) -> Vec<usize> {
        let cell = self.oracle.cell(lv);
        let named = plain(lv.clone());
        let mut found: BTreeMap<_, usize> = BTreeMap::new();
        for n in self.dims.ids() {
            let dim = self.dims.place(n);
            let must = || dim.cell == cell && dim.lv.ty == lv.ty && self.oracle.must_alias(lv, &dim.lv);
            if dim.lv == named || !found.contains_key(&Reverse(dim.asked)) && must() {
                found.insert(Reverse(dim.asked), n);
            }
        }
        found.into_values().collect()
    }

    fn call(
        &self,
        (q, args): (ProcId, &[Expr]),
        dest: Option<&Lvalue>,
        mods: &CellSet,
        callee: &Callee,
    ) -> Call {
        let bound = Bound { program: self.program, q, args };
        let (mut entry, mut exit) = (vec![], vec![]);
        let result = self.program.procs[q].ret;
        for n in callee.dims.ids() {
            let place = callee.dims.place(n);
            if let Some(value) = bound.value(&place.lv) {
                entry.push((n, place.of(value)));
            }
            if result.is_some() && place.lv.as_var() == result {
                let into = dest.map_or(vec![], |lv| self.strong(lv));
                let same = |d: &usize| {
                    let dim = self.dims.place(*d);
                    dim.lv.ty == place.lv.ty && dim.asked == place.asked
                };
                exit.extend(into.into_iter().filter(same).map(|d| (n, Behind::Place(d))));
            } else if let Some(behind) = self.behind(&bound, place, (dest, mods), callee) {
                exit.push((n, behind));
            }
        }
        Call { callee: q, entry, exit }
    }

    /// What a place of the callee is when the caller has the result.
    fn behind(
        &self,
        bound: &Bound<'_>,
        place: &Dim,
        (dest, mods): (Option<&Lvalue>, &CellSet),
        callee: &Callee,
    ) -> Option<Behind> {
        // Only what still means the same: formals that were not assigned, arguments that the call did not change.
        let kept = |e: &Expr| {
            let mut kept = true;
            e.loads(&mut |lv| kept &= !mods.contains(self.oracle.cell(lv)));
            kept
        };
        let lv = &place.lv;
        let formals = bound.formals(lv);
        if !formals.iter().all(|(f, arg)| callee.stable.contains(f) && kept(arg)) {
            return None;
        }
        let value = bound.value(lv)?;
        if lv.as_var().is_some_and(|v| matches!(self.program.vars[v].kind, VarKind::Formal(_))) {
            return Some(Behind::Argument(place.of(value)));
        }
        let Expr::Load(inner) = value else { return None };
        let n = self.dims.asked(&inner, place.asked)?;
        let dim = self.dims.place(n);
        let overwritten = dest.is_some_and(|lv| {
            let cell = self.oracle.cell(lv);
            dim.reads.contains(cell) || dim.cell == cell && self.oracle.may_alias(lv, &dim.lv)
        });
        (!overwritten).then_some(Behind::Place(n))
    }
}

/// A procedure that is called.
pub(crate) struct Callee<'a> {
    pub(crate) dims: &'a Dims,
    /// The formals that keep their values.
    pub(crate) stable: &'a BTreeSet<ir::VarId>,
}

/// A procedure with arguments for its formals.
pub(super) struct Bound<'a> {
    pub(super) program: &'a Program,
    pub(super) q: ProcId,
    pub(super) args: &'a [Expr],
}

impl Bound<'_> {
    /// What the formal was given.
    fn argument(&self, v: ir::VarId) -> Option<&Expr> {
        let at = self.program.procs[self.q].formals.iter().position(|f| *f == v)?;
        self.args.get(at).filter(|arg| arg.ty() == self.program.vars[v].ty)
    }

    /// The value of the callee's location as an expression of the caller.
    pub(super) fn value(&self, lv: &Lvalue) -> Option<Expr> {
        match &lv.base {
            Base::Var(v) => match self.program.vars[*v].kind {
                VarKind::Global => Some(lv.clone().load()),
                VarKind::Formal(_) if lv.path.is_empty() => self.argument(*v).cloned(),
                _ => None,
            },
            Base::Deref(pointer) => {
                let Expr::Load(inner) = &**pointer else { return None };
                let path: Vec<Access> = lv.path.clone();
                let base = Base::Deref(Box::new(self.value(inner)?));
                Some(plain(Lvalue { base, path, ty: lv.ty.clone() }).load())
            }
        }
    }

    /// The formals that are read to find the location, or are it, with their arguments.
    fn formals(&self, lv: &Lvalue) -> Vec<(ir::VarId, &Expr)> {
        let mut out = vec![];
        let mut at = Some(lv);
        while let Some(lv) = at {
            at = match &lv.base {
                Base::Var(v) => {
                    out.extend(self.argument(*v).map(|arg| (*v, arg)));
                    None
                }
                Base::Deref(pointer) => match &**pointer {
                    Expr::Load(inner) => Some(inner),
                    _ => None,
                },
            };
        }
        out
    }
}
