//! Comparisons of mathematical integers as linear forms.

use super::{Normal, compare, oriented};
use ir::{BinOp, Expr, Type, UnOp};

/// A linear form: sum of coefficient times opaque expression, plus a constant.
#[derive(Default)]
struct Linear {
    terms: Vec<(Expr, i128)>,
    constant: i128,
}

impl Linear {
    /// Adds `k * e`; `None` on overflow of the coefficients.
    fn add(&mut self, e: Expr, k: i128) -> Option<()> {
        match e {
            Expr::Const(v, _) => self.constant = self.constant.checked_add(v.checked_mul(k)?)?,
            Expr::Cast(inner, to) if keeps_value(&inner.ty(), &to) => self.add(*inner, k)?,
            Expr::Binary(BinOp::Add, l, r, Type::Math) => {
                self.add(*l, k)?;
                self.add(*r, k)?;
            }
            Expr::Binary(BinOp::Sub, l, r, Type::Math) => {
                self.add(*l, k)?;
                self.add(*r, k.checked_neg()?)?;
            }
            Expr::Unary(UnOp::Neg, e, Type::Math) => self.add(*e, k.checked_neg()?)?,
            Expr::Binary(BinOp::Mul, l, r, Type::Math) if r.as_const().is_some() => {
                self.add(*l, k.checked_mul(r.as_const()?)?)?;
            }
            Expr::Binary(BinOp::Mul, l, r, Type::Math) if l.as_const().is_some() => {
                self.add(*r, k.checked_mul(l.as_const()?)?)?;
            }
            Expr::Binary(BinOp::Mul, l, r, Type::Math) => {
                let (l, r) = if r < l { (r, l) } else { (l, r) };
                self.opaque(Expr::Binary(BinOp::Mul, l, r, Type::Math), k)?;
            }
            other => self.opaque(other, k)?,
        }
        Some(())
    }

    fn opaque(&mut self, e: Expr, k: i128) -> Option<()> {
        match self.terms.iter_mut().find(|(t, _)| *t == e) {
            Some((_, c)) => *c = c.checked_add(k)?,
            None => self.terms.push((e, k)),
        }
        Some(())
    }
}

/// Whether a conversion between these types never changes the value.
pub(crate) fn keeps_value(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Int(a), Type::Int(b)) => b.includes(*a),
        (Type::Int(_) | Type::Math, Type::Math) => true,
        _ => false,
    }
}

/// A linear atom over mathematical integers: `Σ coefficient * term  op  bound`, where `op` is `==`, `!=` or `<=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearAtom {
    /// Terms that are not sums themselves, each once, with nonzero coefficients.
    pub terms: Vec<(Expr, i128)>,
    /// `Eq`, `Ne` or `Le`.
    pub op: BinOp,
    /// The right side.
    pub bound: i128,
}

/// The linear form of a comparison of integers; `None` for other conditions, or when coefficients overflow.
pub fn linear_atom(e: &Expr) -> Option<LinearAtom> {
    let integer = |e: &Expr| matches!(e.ty(), Type::Int(_) | Type::Math);
    if let Expr::Unary(UnOp::Not, inner, _) = e {
        // The negations of other comparisons are none.
        return match &**inner {
            Expr::Binary(op, l, r, _) if op.is_comparison() && integer(l) && integer(r) => {
                linear_atom(&(**inner).clone().negated())
            }
            _ => None,
        };
    }
    let Expr::Binary(op, l, r, _) = e else { return None };
    if !op.is_comparison() || !integer(l) || !integer(r) {
        return None;
    }
    let mut form = Linear::default();
    form.add((**l).clone(), 1)?;
    form.add((**r).clone(), -1)?;
    form.terms.retain(|(_, k)| *k != 0);
    let (mut terms, bound) = (form.terms, form.constant.checked_neg()?);
    let mut flip = |b: i128| {
        terms.iter_mut().for_each(|(_, k)| *k = -*k);
        -b
    };
    let (op, bound) = match op {
        BinOp::Eq | BinOp::Ne => (*op, bound),
        BinOp::Lt => (BinOp::Le, bound - 1),
        BinOp::Le => (BinOp::Le, bound),
        BinOp::Gt => (BinOp::Le, flip(bound) - 1),
        _ => (BinOp::Le, flip(bound)),
    };
    Some(LinearAtom { terms, op, bound })
}

/// The normal form of a linear atom.
pub fn from_linear(atom: LinearAtom) -> Normal {
    match atom.op {
        BinOp::Ne => normal_linear(BinOp::Eq, atom.terms, atom.bound, true),
        op => normal_linear(op, atom.terms, atom.bound, false),
    }
}

pub(super) fn linear(op: BinOp, l: Expr, r: Expr) -> Normal {
    match linear_atom(&Expr::binary(op, l.clone(), r.clone())) {
        Some(atom) => from_linear(atom),
        None => oriented(op, l, r),
    }
}

/// `terms op bound` (or its negation), where `op` is `==` or `<=`.
fn normal_linear(op: BinOp, terms: Vec<(Expr, i128)>, mut bound: i128, mut negated: bool) -> Normal {
    let mut form = Linear { terms, constant: 0 };
    form.terms.retain(|(_, k)| *k != 0);
    if form.terms.is_empty() {
        return Normal::Constant(compare(op, 0, bound) != negated);
    }
    form.terms.sort();
    // The first term gets a positive coefficient: negate both sides of `==`, or the whole `<=`.
    if form.terms[0].1 < 0 {
        form.terms.iter_mut().for_each(|(_, k)| *k = -*k);
        if op == BinOp::Eq {
            bound = -bound;
        } else {
            // not (t <= b)  is  -t <= -b - 1
            bound = -bound - 1;
            negated = !negated;
        }
    }
    let gcd = form.terms.iter().fold(0, |g, (_, k)| gcd(g, *k));
    if gcd > 1 {
        form.terms.iter_mut().for_each(|(_, k)| *k /= gcd);
        if op == BinOp::Eq && bound % gcd != 0 {
            return Normal::Constant(negated);
        }
        bound = bound.div_euclid(gcd);
    }
    match form.terms.as_slice() {
        [(e, 1)] if e.ty().as_int().is_some() => one_term(op, e.clone(), bound, negated),
        _ => Normal::Atom { expr: build(op, &form.terms, bound), negated },
    }
}

/// `e op bound` for an integer of C: constant when the type's range decides it.
fn one_term(op: BinOp, e: Expr, bound: i128, negated: bool) -> Normal {
    let ty = e.ty().as_int().expect("one_term is called for integers of C");
    let decided = match op {
        BinOp::Eq if bound < ty.min() || bound > ty.max() => Some(false),
        BinOp::Le if bound < ty.min() => Some(false),
        BinOp::Le if bound >= ty.max() => Some(true),
        _ => None,
    };
    if let Some(b) = decided {
        return Normal::Constant(b != negated);
    }
    // The last value below the range's end reads better as an equation.
    if op == BinOp::Le && bound == ty.min() {
        return Normal::Atom { expr: Expr::binary(BinOp::Eq, e, Expr::Const(bound, Type::Int(ty))), negated };
    }
    if op == BinOp::Le && bound == ty.max() - 1 {
        let expr = Expr::binary(BinOp::Eq, e, Expr::Const(ty.max(), Type::Int(ty)));
        return Normal::Atom { expr, negated: !negated };
    }
    Normal::Atom { expr: Expr::binary(op, e, Expr::Const(bound, Type::Int(ty))), negated }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// `terms op bound` as an expression: negative terms go to the right, `<= … - 1` becomes `<`.
fn build(op: BinOp, terms: &[(Expr, i128)], bound: i128) -> Expr {
    let side = |positive: bool| -> Option<Expr> {
        terms.iter().filter(|(_, k)| (*k > 0) == positive).map(|(e, k)| scaled(e, k.abs())).reduce(plus)
    };
    let left = side(true).expect("the first coefficient is positive");
    let right = side(false);
    let (op, bound) =
        if op == BinOp::Le && bound == -1 && right.is_some() { (BinOp::Lt, 0) } else { (op, bound) };
    let right = match right {
        None => Expr::Const(bound, Type::Math),
        Some(r) if bound == 0 => r,
        Some(r) if bound < 0 => {
            Expr::Binary(BinOp::Sub, Box::new(math(r)), Box::new(Expr::Const(-bound, Type::Math)), Type::Math)
        }
        Some(r) => plus(r, Expr::Const(bound, Type::Math)),
    };
    let (left, right) = if left.ty() == right.ty() { (left, right) } else { (math(left), math(right)) };
    Expr::binary(op, left, right)
}

fn math(e: Expr) -> Expr {
    e.cast(Type::Math)
}

fn plus(l: Expr, r: Expr) -> Expr {
    Expr::Binary(BinOp::Add, Box::new(math(l)), Box::new(math(r)), Type::Math)
}

fn scaled(e: &Expr, k: i128) -> Expr {
    if k == 1 {
        return e.clone();
    }
    Expr::Binary(BinOp::Mul, Box::new(Expr::Const(k, Type::Math)), Box::new(math(e.clone())), Type::Math)
}
