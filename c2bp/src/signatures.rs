//! Signatures of procedures: the predicates that cross a call, and how a callee's words become the caller's ([BMMR01 §4.5];
//! 002 slides 40-44).
//!
//! A predicate crosses only if it says nothing about particular activations: no local of the callee, and no address
//! of a local or formal. Substitution works on the structure of expressions, never on the names of cells, so the
//! frames of a recursive procedure cannot be mixed up: formals are replaced before anything is compared.

use crate::context::Pred;
use alias::{AliasOracle, CellKind};
use base::{Id, IndexVec};
use bp::Name;
use ir::{Access, Base, Expr, Lvalue, ProcId, Program, VarId};
use predicates::PredId;
use std::collections::{BTreeMap, BTreeSet};

/// Which predicates a procedure's boolean program has, and what they are there.
pub(crate) struct Signature {
    /// Its name in the boolean program.
    pub(crate) name: Name,
    /// Those that matter: global ones first ([`crate::scope`]), then its own.
    pub(crate) scope: Vec<PredId>,
    /// Its own that callers know the value of: the formal parameters.
    pub(crate) formals: Vec<PredId>,
    /// Its own others; they start arbitrary.
    pub(crate) locals: Vec<PredId>,
    /// Its own that callers can use afterwards: the values returned.
    pub(crate) returns: Vec<PredId>,
}

impl Signature {
    /// That of a procedure with these predicates of its own; `scope` are all that matter in it.
    pub(crate) fn new(
        (base, preds): (&crate::context::Base<'_>, &IndexVec<PredId, Pred>),
        p: ProcId,
        name: Name,
        own: &[PredId],
        scope: Vec<PredId>,
    ) -> Signature {
        let program = &base.program;
        let stable = alias::stable_formals(program, base.oracle, p);
        let is_entry = p == program.entry;
        // Callers know nothing of what is tracked at some locations only.
        let shared = |id: &PredId| !is_entry && preds[*id].is_tracked_everywhere();
        let (formals, locals) =
            own.iter().partition(|id| shared(id) && is_formal(program, p, &preds[**id].expr));
        let returned = |id: &&PredId| shared(id) && is_returned(program, p, &stable, &preds[**id].expr);
        let returns = own.iter().filter(returned).copied().collect();
        Signature { name, scope, formals, locals, returns }
    }
}

/// Whether callers know the predicate's value at the entry: it names formals, globals and `old` only.
pub(crate) fn is_formal(program: &Program, p: ProcId, expr: &Expr) -> bool {
    Words { program, p, stable: None }.all(expr, false)
}

/// Whether callers understand the predicate at the exit: it names the return variable, globals, formals inside
/// `old`, and those formals outside that keep their values.
pub(crate) fn is_returned(program: &Program, p: ProcId, stable: &BTreeSet<VarId>, expr: &Expr) -> bool {
    Words { program, p, stable: Some(stable) }.all(expr, false)
}

struct Words<'a> {
    program: &'a Program,
    p: ProcId,
    /// At the exit: the formals that keep their values. At the entry: none, all formals are admitted.
    stable: Option<&'a BTreeSet<VarId>>,
}

impl Words<'_> {
    fn all(&self, e: &Expr, old: bool) -> bool {
        let known = match e {
            Expr::Load(lv) => self.readable(lv, old),
            Expr::AddrOf(lv) => !matches!(lv.base, Base::Var(v) if self.program.vars[v].proc().is_some()),
            _ => true,
        };
        let old = old || matches!(e, Expr::Old(_));
        known && e.children().all(|e| self.all(e, old))
    }

    /// Whether the variable that is read, if it is one, is understood outside.
    fn readable(&self, lv: &Lvalue, old: bool) -> bool {
        let Base::Var(v) = lv.base else { return true };
        if self.program.vars[v].proc().is_none() {
            return true;
        }
        let proc = &self.program.procs[self.p];
        if !lv.path.is_empty() {
            return false;
        }
        if proc.formals.contains(&v) {
            return old || self.stable.is_none_or(|stable| stable.contains(&v));
        }
        proc.ret == Some(v) && !old && self.stable.is_some()
    }
}

/// The arguments of one call.
pub(crate) struct Actuals<'a> {
    oracle: &'a AliasOracle,
    /// For each formal the argument; `None` when there is none of the formal's type.
    values: BTreeMap<VarId, Option<&'a Expr>>,
}

impl<'a> Actuals<'a> {
    pub(crate) fn new(program: &Program, oracle: &'a AliasOracle, callee: ProcId, args: &'a [Expr]) -> Self {
        let formals = program.procs[callee].formals.iter().enumerate();
        let values =
            formals.map(|(i, f)| (*f, args.get(i).filter(|a| a.ty() == program.vars[*f].ty))).collect();
        Actuals { oracle, values }
    }

    /// The callee's predicate at its entry in the caller's words before the call: `old` is erased, formals become
    /// actuals. `None` when the caller cannot say it.
    pub(crate) fn at_entry(&self, e: &Expr) -> Option<Expr> {
        Rewriter { actuals: self, mode: Moment::Entry }.expr(e)
    }

    /// The callee's predicate at its exit in the caller's words: what stands under `old` in the result is meant
    /// before the call, the rest at the exit. The return variable keeps its name.
    pub(crate) fn at_exit(&self, e: &Expr) -> Option<Expr> {
        Rewriter { actuals: self, mode: Moment::Exit }.expr(e)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Moment {
    /// Everything is read before the call.
    Entry,
    /// Read at the exit: actuals get `old` around them.
    Exit,
    /// Under `old` at the exit.
    Before,
}

struct Rewriter<'a> {
    actuals: &'a Actuals<'a>,
    mode: Moment,
}

impl Rewriter<'_> {
    fn expr(&self, e: &Expr) -> Option<Expr> {
        Some(match e {
            Expr::Load(lv) => return self.load(lv),
            Expr::AddrOf(lv) => self.lvalue(lv)?.addr(),
            Expr::Old(inner) => match self.mode {
                Moment::Entry => self.expr(inner)?,
                _ => before(Rewriter { actuals: self.actuals, mode: Moment::Before }.expr(inner)?),
            },
            e => {
                let mut e = e.clone();
                for part in e.children_mut() {
                    *part = self.expr(part)?;
                }
                e
            }
        })
    }

    fn load(&self, lv: &Lvalue) -> Option<Expr> {
        if let Some(v) = lv.as_var()
            && let Some(actual) = self.actuals.values.get(&v)
        {
            let actual = (*actual)?.clone();
            return Some(if self.mode == Moment::Exit { before(actual) } else { actual });
        }
        let rewritten = self.lvalue(lv)?;
        // Both frames must mean the same class of locations.
        let (ours, theirs) = (self.actuals.oracle.cell(&rewritten), self.actuals.oracle.cell(lv));
        if ours != theirs || *self.actuals.oracle.cell_kind(ours) == CellKind::Opaque {
            return None;
        }
        Some(rewritten.load())
    }

    fn lvalue(&self, lv: &Lvalue) -> Option<Lvalue> {
        let mut path = vec![];
        let base = match &lv.base {
            Base::Var(v) => Base::Var(*v),
            Base::Deref(p) => match self.expr(p)? {
                // `*&x` is `x`; where x is does not depend on the moment unless its address is computed.
                Expr::AddrOf(target) if lv.ty.is_scalar() && p.ty().pointee() == Some(&target.ty) => {
                    path = target.path;
                    target.base
                }
                pointer => Base::Deref(Box::new(pointer)),
            },
        };
        for access in &lv.path {
            path.push(match access {
                Access::Index(i) => Access::Index(self.expr(i)?),
                Access::Field(r, f) => Access::Field(*r, *f),
            });
        }
        Some(Lvalue { base, path, ty: lv.ty.clone() })
    }
}

/// `old(e)`, without the `old` where it makes no difference.
fn before(e: Expr) -> Expr {
    let reads = |e: &Expr| matches!(e, Expr::Load(_));
    if e.has(reads) { Expr::Old(Box::new(e)) } else { e }
}

/// Whether the location is the same whatever the cells in `changed` hold.
pub(crate) fn address_is_fixed(
    oracle: &AliasOracle,
    lv: &Lvalue,
    changed: &impl Fn(alias::CellId) -> bool,
) -> bool {
    let mut fixed = true;
    ir::visit::walk_address(lv, &mut |read| {
        let cell = oracle.cell(read);
        fixed &=
            cell.index() < oracle.cells() && *oracle.cell_kind(cell) != CellKind::Opaque && !changed(cell);
    });
    fixed
}
