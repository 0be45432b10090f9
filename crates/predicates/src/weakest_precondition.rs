//! Weakest preconditions of assignments, as expressions (002 slides 23 and 38, [BMMR01 §4.2]).
//!
//! For `l = e` and a predicate that reads a location `r`, Morris' rule gives `(&r == &l && φ[e/r]) || (&r != &l && φ)`;
//! here it is the conditional expression `&r == &l ? e : r` at the read itself, which is the same thing. The alias
//! oracle removes the cases that cannot happen and decides those that must. Reads inside the addresses of other
//! reads are replaced first, so chains such as `p->next->data` come out right.

use crate::normal::{Normal, condition, mathify, mathify_node, normalise};
use alias::AliasOracle;
use encoding::IntMode;
use ir::extent::simplified;
use ir::visit::walk_reads;
use ir::{Access, Base, BinOp, Expr, Lvalue, Program, Type, UnOp, VarId};

/// Which locations may alias: the alias oracle's answer, or newton's, which distinguishes activations too.
pub trait Aliasing {
    /// Whether the two scalar lvalues, evaluated in one state, can be the same location.
    fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool;
    /// Whether they certainly are.
    fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool;
    /// Whether two ways to name one address name the same store.
    fn same_cell(&self, a: &Lvalue, b: &Lvalue) -> bool;
    /// Whether the location `read` is the location `target`, which the program writes, only if their paths agree
    /// step by step.
    fn agree_by_steps(&self, target: &Lvalue, read: &Lvalue) -> bool;
    /// The program's variable that a variable of the expressions stands for.
    fn declared(&self, v: VarId) -> VarId {
        v
    }
}

impl Aliasing for AliasOracle {
    fn may_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        AliasOracle::may_alias(self, a, b)
    }
    fn must_alias(&self, a: &Lvalue, b: &Lvalue) -> bool {
        AliasOracle::must_alias(self, a, b)
    }
    fn same_cell(&self, a: &Lvalue, b: &Lvalue) -> bool {
        self.cell(a) == self.cell(b)
    }
    fn agree_by_steps(&self, target: &Lvalue, read: &Lvalue) -> bool {
        AliasOracle::agree_by_steps(self, target, read)
    }
}

/// What weakest preconditions need to know.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The program, for the sizes of its types and variables.
    pub program: &'a Program,
    /// Who may alias whom.
    pub oracle: &'a dyn Aliasing,
    /// How integers are modelled.
    pub mode: IntMode,
}

/// The weakest precondition of the assignment `target = value` and the condition `post`. Reads under `old` are
/// constants of the activation and stay. The result is not normalised.
#[must_use]
pub fn assign(cx: Context<'_>, target: &Lvalue, value: &Expr, post: &Expr) -> Expr {
    let value = mathify(value.clone(), cx.mode, cx.program.signed_wrap);
    Subst { cx, target, value }.expr(post.clone())
}

/// The reads of a condition, outside `old`, that may be the location `target`.
pub fn touches(cx: Context<'_>, target: &Lvalue, post: &Expr) -> bool {
    let mut hit = false;
    walk_reads(post, &mut |lv| hit |= cx.oracle.may_alias(target, lv));
    hit
}

struct Subst<'a> {
    cx: Context<'a>,
    target: &'a Lvalue,
    value: Expr,
}

impl Subst<'_> {
    fn expr(&self, e: Expr) -> Expr {
        match e {
            Expr::Old(_) => e,
            Expr::Load(lv) => self.read(&lv),
            Expr::AddrOf(lv) => self.lvalue(*lv).addr(),
            Expr::Cast(e, t) => self.expr(*e).cast(t),
            Expr::Unary(op @ (UnOp::Left(_) | UnOp::Before(_) | UnOp::Start), pointer, ty) => {
                let pointer = self.expr(*pointer);
                match simplified(self.cx.program, op, &pointer, &|v| self.cx.oracle.declared(v)) {
                    Some(e) => mathify(e, self.cx.mode, self.cx.program.signed_wrap),
                    None => Expr::Unary(op, Box::new(pointer), ty),
                }
            }
            e => {
                let rebuilt = e.rebuilt(&mut |e| self.expr(e));
                let math = self.cx.mode == IntMode::Math;
                if math { mathify_node(rebuilt, self.cx.program.signed_wrap) } else { rebuilt }
            }
        }
    }

    fn lvalue(&self, lv: Lvalue) -> Lvalue {
        self.collapsed(lv.rebuilt(&mut |e| self.expr(e)))
    }

    /// The location named by a path, where that names the same store: a pointer that left a member of a record
    /// behind is at none of that member's elements.
    fn collapsed(&self, lv: Lvalue) -> Lvalue {
        let short = collapse(lv.clone());
        if short == lv || self.cx.oracle.same_cell(&lv, &short) { short } else { lv }
    }

    /// The value that the read has after the assignment, in terms of the state before it.
    fn read(&self, lv: &Lvalue) -> Expr {
        self.read_at(lv, self.lvalue(lv.clone()))
    }

    /// The same, for a read whose location is `before` in the state before the assignment. A location that depends
    /// on a condition is read case by case.
    fn read_at(&self, lv: &Lvalue, before: Lvalue) -> Expr {
        let wrap = self.cx.program.signed_wrap;
        if let Base::Deref(p) = &before.base
            && let Expr::Cond(c, a, b) = &**p
        {
            let case = |p: &Expr| {
                let base = Base::Deref(Box::new(p.clone()));
                self.read_at(lv, self.collapsed(Lvalue { base, ..before.clone() }))
            };
            return mathify_node(Expr::Cond(c.clone(), Box::new(case(a)), Box::new(case(b))), wrap);
        }
        if !self.cx.oracle.may_alias(self.target, lv) {
            return before.load();
        }
        if before == *self.target || (before == *lv && self.cx.oracle.must_alias(self.target, lv)) {
            return self.value.clone();
        }
        let same = same_location(self.cx.oracle, self.target, &before);
        match normalise(same, self.cx.mode, wrap) {
            Normal::Constant(false) => before.load(),
            Normal::Constant(true) => self.value.clone(),
            same => {
                let (kept, value) = (Box::new(before.load()), Box::new(self.value.clone()));
                mathify_node(Expr::Cond(Box::new(condition(&same)), value, kept), wrap)
            }
        }
    }
}

/// `*&l` is `l`, and `*(&a[i] + j)` is `a[i + j]`: what substitution makes of dereferences of known pointers. Only
/// where the types agree, so that no view of the memory changes.
#[must_use]
pub fn collapse(lv: Lvalue) -> Lvalue {
    let Base::Deref(pointer) = &lv.base else { return lv };
    match &**pointer {
        Expr::AddrOf(inner) => {
            let mut path = inner.path.clone();
            path.extend(lv.path);
            collapse(Lvalue { base: inner.base.clone(), path, ty: lv.ty })
        }
        Expr::Binary(BinOp::PtrAdd, at, offset, _) => {
            let Expr::AddrOf(inner) = &**at else { return lv };
            let Some((Access::Index(first), prefix)) = inner.path.split_last() else { return lv };
            let mut path = prefix.to_vec();
            path.push(Access::Index(sum(first, offset)));
            path.extend(lv.path);
            collapse(Lvalue { base: inner.base.clone(), path, ty: lv.ty })
        }
        _ => lv,
    }
}

/// The sum of two indices, as a mathematical integer where that is the mode's way (indices do not wrap: the access
/// would be undefined), else at 64 bits.
fn sum(i: &Expr, j: &Expr) -> Expr {
    match (i, j) {
        (Expr::Const(0, _), j) => j.clone(),
        (i, Expr::Const(0, _)) => i.clone(),
        (Expr::Const(a, _), Expr::Const(b, _)) => {
            Expr::Const(a + b, Type::Int(ir::IntType { bits: 64, signed: true }))
        }
        _ => at_one_type(BinOp::Add, i, j),
    }
}

/// The operation on two indices, both as mathematical integers where one is, else at 64 bits.
fn at_one_type(op: BinOp, i: &Expr, j: &Expr) -> Expr {
    let mathematical = i.ty() == Type::Math || j.ty() == Type::Math;
    let wide = if mathematical { Type::Math } else { Type::Int(ir::IntType { bits: 64, signed: true }) };
    Expr::binary(op, i.clone().cast(wide.clone()), j.clone().cast(wide))
}

/// The condition that the scalar location `b` is the location `a` that the program writes: equal addresses, with equal
/// steps stripped so that `a[i]`, `a[j]` gives `i == j` and `p->f`, `q->f` gives `p == q`. Where an index may lie outside of
/// its array, as those of predicates may, steps tell nothing: `a[0][i]` is `a[1][1]` when rows have two elements and `i` is 3.
#[must_use]
pub fn same_location(oracle: &dyn Aliasing, a: &Lvalue, b: &Lvalue) -> Expr {
    if a == b {
        return Expr::truth(true);
    }
    if oracle.agree_by_steps(a, b) {
        let mut condition: Option<Expr> = None;
        let mut comparable = true;
        for (x, y) in a.path.iter().zip(&b.path) {
            match (x, y) {
                _ if x == y => {}
                (Access::Index(i), Access::Index(j)) => {
                    let eq = equal_indices(i, j);
                    condition = Some(match condition {
                        None => eq,
                        Some(c) => Expr::and(c, eq),
                    });
                }
                (Access::Field(r, f), Access::Field(s, g)) if r == s && f != g => return Expr::truth(false),
                _ => comparable = false,
            }
        }
        if let (true, Some(condition)) = (comparable, condition) {
            return condition;
        }
    }
    let (p, q) = strip_common(a.clone(), b.clone());
    let (p, q) = if matches!(p, Expr::AddrOf(_)) && !matches!(q, Expr::AddrOf(_)) { (q, p) } else { (p, q) };
    Expr::binary(BinOp::Eq, p, q)
}

/// Addresses that are equal exactly when those of the two locations are: common last members are left out, and the
/// address of what a pointer points to is the pointer.
pub(crate) fn strip_common(mut a: Lvalue, mut b: Lvalue) -> (Expr, Expr) {
    while let (Some(Access::Field(r, f)), Some(Access::Field(s, g))) = (a.path.last(), b.path.last()) {
        if r != s || f != g {
            break;
        }
        // What is left is the record around the member.
        let around = Type::Record(*r);
        a.path.pop();
        b.path.pop();
        (a.ty, b.ty) = (around.clone(), around);
    }
    let pointer = |lv: Lvalue| match lv.base {
        Base::Deref(p) if lv.path.is_empty() => *p,
        _ => lv.addr(),
    };
    (pointer(a), pointer(b))
}

fn equal_indices(i: &Expr, j: &Expr) -> Expr {
    if let (Expr::Const(a, _), Expr::Const(b, _)) = (i, j) {
        return Expr::truth(a == b);
    }
    if i.ty() == j.ty() {
        return Expr::binary(BinOp::Eq, i.clone(), j.clone());
    }
    at_one_type(BinOp::Eq, i, j)
}
