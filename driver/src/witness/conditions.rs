//! Conditions of proofs as C that is defined for all values of its variables.
//!
//! Mathematical integers become 64 bits wide where no result can leave that range; a conjunct that reads memory behind
//! pointers, or whose arithmetic might overflow, is left out.

use super::scope::Scope;
use ir::{Access, Base, BinOp, Expr, IntType, Lvalue, Program, Type, UnOp};

/// What C has in the place of mathematical integers.
const WIDE: IntType = IntType { bits: 64, signed: true };

/// The text of a condition that follows from this one; `None` when nothing of it can be written.
pub(super) fn text(scope: &Scope<'_>, condition: &Expr) -> Option<String> {
    let mut program = scope.source.program.clone();
    let mut kept: Vec<Expr> = vec![];
    for part in condition.conjuncts() {
        if let Some(e) = named(scope, part, &mut program).and_then(|()| plain(&program, part))
            && !kept.contains(&e)
        {
            kept.push(e);
        }
    }
    let all = kept.into_iter().reduce(Expr::and)?;
    Some(ir::print::expr(&program, &all))
}

/// Calls the variables of the condition as the place does; `None` when it does not see one of them.
fn named(scope: &Scope<'_>, e: &Expr, program: &mut Program) -> Option<()> {
    for v in predicates::predicate::variables(e) {
        program.vars[v].name = scope.name(v)?.to_owned();
    }
    Some(())
}

/// A condition that somebody wrote.
pub(super) struct Written {
    /// It, with arithmetic that does not overflow.
    pub(super) condition: Expr,
    /// Where C defines it, if that is not everywhere: no signed number that it computes leaves its type.
    pub(super) defined: Option<Expr>,
}

impl Written {
    /// That it is defined, and holds.
    pub(super) fn both(self) -> Expr {
        match self.defined {
            Some(defined) => defined.and(self.condition),
            None => self.condition,
        }
    }
}

/// The meaning of a condition that somebody wrote; `None` where something of it may be undefined in another way than
/// by an overflow.
pub(super) fn written_by_others(program: &Program, e: &Expr) -> Option<Written> {
    let (e, defined) = widened(e)?;
    let condition = |e: Expr| {
        let e = plain(program, &e)?;
        Some(if e.ty() == Type::INT { e } else { e.truthy() })
    };
    let defined = match defined {
        Some(defined) => Some(condition(defined)?),
        None => None,
    };
    Some(Written { condition: condition(e)?, defined })
}

/// The same with sums and products of small signed numbers as wide ones, and where each of these is what C computes.
fn widened(e: &Expr) -> Option<(Expr, Option<Expr>)> {
    match e {
        Expr::Cast(operand, ty) => {
            let (operand, defined) = widened(operand)?;
            Some((operand.cast(ty.clone()), defined))
        }
        Expr::Unary(op, operand, ty) => {
            let (inner, defined) = widened(operand)?;
            match op {
                UnOp::Neg if is_small(ty) => {
                    let wide = Expr::Unary(*op, Box::new(inner.cast(Type::Int(WIDE))), Type::Int(WIDE));
                    let stays = stays(&wide, ty);
                    Some((wide, both(defined, stays)))
                }
                UnOp::Not => Some((Expr::Unary(*op, Box::new(inner), ty.clone()), defined)),
                _ => (inner.ty() == operand.ty())
                    .then(|| (Expr::Unary(*op, Box::new(inner), ty.clone()), defined)),
            }
        }
        Expr::Binary(op, l, r, ty) => {
            let ((a, first), (b, second)) = (widened(l)?, widened(r)?);
            // Behind a left operand that decides, the right one is not evaluated.
            let second = match (op, second) {
                (BinOp::And, Some(second)) => Some(a.clone().negated().or(second)),
                (BinOp::Or, Some(second)) => Some(a.clone().truthy().or(second)),
                (_, second) => second,
            };
            let defined = both(first, second);
            let wide =
                |a: Expr, b: Expr| (Box::new(a.cast(Type::Int(WIDE))), Box::new(b.cast(Type::Int(WIDE))));
            let same = (a.ty(), b.ty()) == (l.ty(), r.ty());
            match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul if is_small(ty) => {
                    let (a, b) = wide(a, b);
                    let wide = Expr::Binary(*op, a, b, Type::Int(WIDE));
                    let stays = stays(&wide, ty);
                    Some((wide, both(defined, stays)))
                }
                BinOp::And | BinOp::Or => Some((Expr::binary(*op, a, b), defined)),
                _ if same => Some((Expr::Binary(*op, Box::new(a), Box::new(b), ty.clone()), defined)),
                op if op.is_comparison()
                    && [&a, &b].iter().all(|e| e.ty().as_int().is_some_and(|t| WIDE.includes(t))) =>
                {
                    let (a, b) = wide(a, b);
                    Some((Expr::Binary(*op, a, b, ty.clone()), defined))
                }
                _ => None,
            }
        }
        other => Some((other.clone(), None)),
    }
}

fn both(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (one, other) => one.or(other),
    }
}

/// That a wide number is one of the type; `None` if it always is.
fn stays(wide: &Expr, ty: &Type) -> Option<Expr> {
    let ty = ty.as_int()?;
    if size(wide).is_some_and(|most| most <= ty.max()) {
        return None;
    }
    let bound = |v: i128| Expr::Const(v, Type::Int(WIDE));
    let least = Expr::binary(BinOp::Le, bound(ty.min()), wide.clone());
    Some(least.and(Expr::binary(BinOp::Le, wide.clone(), bound(ty.max()))))
}

/// A signed type whose results fit into the wide one.
fn is_small(ty: &Type) -> bool {
    ty.as_int().is_some_and(|i| i.signed && i.bits <= 32)
}

/// The condition without mathematical integers and without anything that may be undefined.
fn plain(program: &Program, e: &Expr) -> Option<Expr> {
    let e = written(program, e)?;
    is_defined(&e).then_some(e)
}

fn written(program: &Program, e: &Expr) -> Option<Expr> {
    let inner = |e: &Expr| written(program, e);
    match e {
        Expr::Const(v, Type::Math) => fits(*v, WIDE).then_some(Expr::Const(*v, Type::Int(WIDE))),
        Expr::Const(_, Type::Int(_)) => Some(e.clone()),
        Expr::Load(lv) => readable(program, lv).then(|| e.clone()),
        Expr::Cast(operand, Type::Math) => {
            let operand = inner(operand)?;
            let from = operand.ty().as_int()?;
            WIDE.includes(from).then(|| operand.cast(Type::Int(WIDE)))
        }
        Expr::Cast(operand, Type::Int(to)) => {
            is_usual(*to).then_some(())?;
            Some(inner(operand)?.cast(Type::Int(*to)))
        }
        Expr::Unary(op @ (UnOp::Neg | UnOp::BitNot | UnOp::Not), operand, ty) => {
            Some(Expr::Unary(*op, Box::new(inner(operand)?), own(ty)?))
        }
        Expr::Binary(op, l, r, ty) => {
            if let (true, Some((l, r))) = (op.is_comparison(), narrow(l, r)) {
                return Some(Expr::Binary(*op, Box::new(inner(&l)?), Box::new(inner(&r)?), ty.clone()));
            }
            let allowed = op.is_comparison()
                || matches!(op, BinOp::And | BinOp::Or | BinOp::Add | BinOp::Sub | BinOp::Mul)
                || matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor);
            allowed.then_some(())?;
            Some(Expr::Binary(*op, Box::new(inner(l)?), Box::new(inner(r)?), own(ty)?))
        }
        _ => None,
    }
}

/// The operands of a comparison of mathematical integers at the type that both have anyway.
pub(crate) fn narrow(l: &Expr, r: &Expr) -> Option<(Expr, Expr)> {
    match (l, r) {
        (Expr::Cast(a, Type::Math), Expr::Cast(b, Type::Math)) if a.ty() == b.ty() => {
            Some(((**a).clone(), (**b).clone()))
        }
        (Expr::Cast(a, Type::Math), Expr::Const(c, Type::Math)) => {
            let ty = a.ty().as_int().filter(|ty| fits(*c, *ty))?;
            Some(((**a).clone(), Expr::Const(*c, Type::Int(ty))))
        }
        _ => None,
    }
}

fn own(ty: &Type) -> Option<Type> {
    match ty {
        Type::Math => Some(Type::Int(WIDE)),
        Type::Int(i) => is_usual(*i).then(|| ty.clone()),
        _ => None,
    }
}

/// Whether C has a name for the type.
fn is_usual(ty: IntType) -> bool {
    matches!(ty.bits, 8 | 16 | 32 | 64) || ty == IntType::BOOL
}

fn fits(v: i128, ty: IntType) -> bool {
    ty.min() <= v && v <= ty.max()
}

/// Whether the location is a number in a variable, at a fixed place of it.
fn readable(program: &Program, lv: &Lvalue) -> bool {
    let Base::Var(v) = lv.base else { return false };
    let mut ty = &program.vars[v].ty;
    for access in &lv.path {
        match (access, ty) {
            (Access::Field(record, n), _) => {
                let Some(field) = program.records[*record].fields.get(*n as usize) else { return false };
                if field.name.is_empty() {
                    return false;
                }
                ty = &field.ty;
            }
            (Access::Index(i), Type::Array(element, length)) => {
                let index = i.as_const().and_then(|i| u64::try_from(i).ok());
                if !index.is_some_and(|i| length.is_some_and(|n| i < n)) {
                    return false;
                }
                ty = element;
            }
            _ => return false,
        }
    }
    lv.ty.as_int().is_some()
}

/// Whether no operation can leave the range of a signed type.
fn is_defined(e: &Expr) -> bool {
    let mut defined = true;
    e.walk(&mut |node| {
        if let (Expr::Unary(..) | Expr::Binary(..), Some(ty)) = (node, node.ty().as_int())
            && ty.signed
        {
            defined &= size(node).is_some_and(|most| most <= ty.max());
        }
    });
    defined
}

/// The largest absolute value that an expression can have.
fn size(e: &Expr) -> Option<i128> {
    let most = |ty: IntType| ty.max().max(ty.min().checked_neg().unwrap_or(i128::MAX));
    match e {
        Expr::Const(v, _) => v.checked_abs(),
        Expr::Cast(operand, ty) => {
            let ty = ty.as_int()?;
            let operand = size(operand)?;
            Some(if operand <= ty.max() { operand } else { most(ty) })
        }
        Expr::Binary(BinOp::Add | BinOp::Sub, l, r, ty) if ty.as_int()?.signed => {
            size(l)?.checked_add(size(r)?)
        }
        Expr::Binary(BinOp::Mul, l, r, ty) if ty.as_int()?.signed => size(l)?.checked_mul(size(r)?),
        Expr::Unary(UnOp::Neg, operand, ty) if ty.as_int()?.signed => size(operand),
        Expr::Binary(op, ..) if op.is_comparison() || matches!(op, BinOp::And | BinOp::Or) => Some(1),
        Expr::Unary(UnOp::Not, ..) => Some(1),
        // Bit operations on a signed type never leave it; its least value is not an overflow of theirs.
        Expr::Binary(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, ..) | Expr::Unary(UnOp::BitNot, ..) => {
            e.ty().as_int().map(IntType::max)
        }
        other => other.ty().as_int().map(most),
    }
}
