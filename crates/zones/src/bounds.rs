//! Bounds of expressions by differences of places: each expression has some terms that it does not exceed, and some that
//! do not exceed it, as `hi` and 0 for `(hi - lo) / 2` where `lo` is 0.
//!
//! Operations have C's meaning: an unsigned result is taken modulo, a signed overflow ends the execution.

use super::dims::{Dims, Question, range};
use super::zone::{NONE, Zone, sum};
use ir::extent::simplified;
use ir::{Base, BinOp, Expr, Lvalue, Program, Type, UnOp};

/// Most terms on one side.
const MOST: usize = 6;

/// The difference of two places (0 is none) and a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    pub(crate) plus: usize,
    pub(crate) minus: usize,
    pub(crate) number: i128,
}

impl Term {
    pub(crate) const fn number(number: i128) -> Term {
        Term { plus: 0, minus: 0, number }
    }

    pub(crate) fn place(plus: usize) -> Term {
        Term { plus, minus: 0, number: 0 }
    }

    fn negated(self) -> Option<Term> {
        Some(Term { plus: self.minus, minus: self.plus, number: self.number.checked_neg()? })
    }

    /// The sum, if it is such a term.
    fn plus(self, other: Term) -> Option<Term> {
        let (mut plus, mut minus) = ([self.plus, other.plus], [self.minus, other.minus]);
        for p in &mut plus {
            if let Some(m) = minus.iter_mut().find(|m| **m == *p) {
                (*p, *m) = (0, 0);
            }
        }
        let one = |list: [usize; 2]| match list {
            [x, 0] | [0, x] => Some(x),
            _ => None,
        };
        let number = self.number.checked_add(other.number).filter(|n| n.unsigned_abs() < 1 << 100)?;
        Some(Term { plus: one(plus)?, minus: one(minus)?, number })
    }

    /// The difference, if it is such a term.
    pub(crate) fn less(self, other: Term) -> Option<Term> {
        self.plus(other.negated()?)
    }

    /// The least number known that the term does not exceed.
    pub(crate) fn greatest(self, zone: &Zone) -> i128 {
        sum(zone.bound(self.plus, self.minus), self.number)
    }
}

/// Terms that bound an expression. Without any nothing is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Bounds {
    /// It is no more than each of these.
    pub(crate) upper: Vec<Term>,
    /// It is no less than each of these.
    pub(crate) lower: Vec<Term>,
}

impl Bounds {
    fn exactly(term: Term) -> Bounds {
        Bounds { upper: vec![term], lower: vec![term] }
    }

    fn between((low, high): (i128, i128)) -> Bounds {
        Bounds { upper: vec![Term::number(high)], lower: vec![Term::number(low)] }
    }

    /// The greatest value, or [`NONE`].
    pub(crate) fn high(&self, zone: &Zone) -> i128 {
        self.upper.iter().map(|t| t.greatest(zone)).min().unwrap_or(NONE)
    }

    /// The least value, if one is known.
    pub(crate) fn low(&self, zone: &Zone) -> Option<i128> {
        let least = |t: &Term| Some(t.negated()?.greatest(zone)).filter(|b| *b != NONE)?.checked_neg();
        self.lower.iter().filter_map(least).max()
    }

    /// With the numbers that bound it.
    fn with_numbers(mut self, zone: &Zone) -> Bounds {
        let (high, low) = (self.high(zone), self.low(zone));
        let add = |list: &mut Vec<Term>, number: i128| {
            if !list.contains(&Term::number(number)) {
                list.truncate(MOST - 1);
                list.push(Term::number(number));
            }
        };
        if high != NONE {
            add(&mut self.upper, high);
        }
        if let Some(low) = low {
            add(&mut self.lower, low);
        }
        self
    }

    fn negated(self) -> Bounds {
        let all = |list: Vec<Term>| list.into_iter().filter_map(Term::negated).collect();
        Bounds { upper: all(self.lower), lower: all(self.upper) }
    }

    fn plus(&self, other: &Bounds) -> Bounds {
        let sums = |a: &[Term], b: &[Term]| {
            let mut out: Vec<Term> = vec![];
            for t in a.iter().flat_map(|x| b.iter().filter_map(|y| x.plus(*y))) {
                if out.len() < MOST && !out.contains(&t) {
                    out.push(t);
                }
            }
            out
        };
        Bounds { upper: sums(&self.upper, &other.upper), lower: sums(&self.lower, &other.lower) }
    }
}

/// What evaluates expressions in states of one procedure.
#[derive(Clone, Copy)]
pub(crate) struct Eval<'a> {
    pub(crate) dims: &'a Dims,
    pub(crate) zone: &'a Zone,
    pub(crate) program: &'a Program,
}

impl Eval<'_> {
    /// The bounds of an integer's or pointer's value.
    pub(crate) fn bounds(&self, e: &Expr) -> Bounds {
        let Some(range) = range(&e.ty(), self.program.model) else {
            return match e {
                Expr::Const(c, Type::Math) => Bounds::exactly(Term::number(*c)),
                Expr::Cast(inner, Type::Math) => self.bounds(inner),
                _ => Bounds::default(),
            };
        };
        let bounds = match e {
            Expr::Const(c, _) => Bounds::exactly(Term::number(*c)),
            Expr::Load(lv) => match self.dims.number(lv) {
                Some(n) => Bounds::exactly(Term::place(n)),
                None => return Bounds::between(range),
            },
            Expr::AddrOf(lv) if is_object(lv) => return Bounds::between((1, range.1)),
            Expr::Func(..) => return Bounds::between((1, range.1)),
            Expr::Unary(op @ (UnOp::Left(_) | UnOp::Before(_)), pointer, _) => {
                return self.size(*op, pointer).with_numbers(self.zone);
            }
            Expr::Unary(UnOp::Neg, x, _) => self.bounds(x).negated(),
            Expr::Unary(UnOp::BitNot, x, _) if range.0 < 0 => {
                let minus_one = Bounds::exactly(Term::number(-1));
                self.bounds(x).negated().plus(&minus_one)
            }
            Expr::Unary(UnOp::Not, ..) => Bounds::between((0, 1)),
            Expr::Binary(op, ..) if op.is_comparison() || matches!(op, BinOp::And | BinOp::Or) => {
                Bounds::between((0, 1))
            }
            // NULL does not move, and nothing moves to NULL.
            Expr::Binary(BinOp::PtrAdd, from, ..) => {
                let low = self.bounds(from).low(self.zone).map_or(0, |low| low.min(1));
                return Bounds::between((low, range.1));
            }
            Expr::Binary(op, l, r, _) => self.binary(*op, l, r),
            Expr::Cast(x, _) if !matches!(x.ty(), Type::Float(_)) => return self.converted(x, range),
            Expr::AddrOf(_) | Expr::Unary(..) | Expr::Cast(..) => return Bounds::between(range),
            Expr::Float(..) | Expr::Cond(..) | Expr::Old(_) => return Bounds::between(range),
        };
        self.within(bounds.with_numbers(self.zone), range, e)
    }

    /// How much of its object lies at and behind a pointer, or before it.
    fn size(&self, op: UnOp, pointer: &Expr) -> Bounds {
        if let Expr::Load(lv) = pointer {
            return self
                .dims
                .asked(lv, Some(Question::Size(op)))
                .map_or(Bounds::default(), |n| Bounds::exactly(Term::place(n)));
        }
        match simplified(self.program, op, pointer, &|v| v) {
            Some(Expr::Unary(same, inner, _)) if same == op && matches!(*inner, Expr::Load(_)) => {
                self.size(op, &inner)
            }
            Some(Expr::Unary(..)) | None => Bounds::default(),
            Some(sum) => self.exact(&sum),
        }
    }

    /// A sum of sizes and indices, as a number that no type limits.
    fn exact(&self, e: &Expr) -> Bounds {
        match e {
            Expr::Binary(BinOp::Add, l, r, _) => self.exact(l).plus(&self.exact(r)),
            Expr::Binary(BinOp::Sub, l, r, _) => self.exact(l).plus(&self.exact(r).negated()),
            Expr::Binary(BinOp::Mul, ..) => {
                let Expr::Binary(_, l, r, _) = e else { return Bounds::default() };
                let sides = (self.interval(&self.exact(l)), self.interval(&self.exact(r)));
                let (Some(x), Some(y)) = sides else { return Bounds::default() };
                product(x, y).map(Bounds::between).unwrap_or_default()
            }
            e => self.bounds(e),
        }
    }

    /// The bounds once the exact result is one of the type.
    fn within(&self, exact: Bounds, range: (i128, i128), e: &Expr) -> Bounds {
        let (low, high) = (exact.low(self.zone), exact.high(self.zone));
        if low.is_some_and(|low| low >= range.0) && high <= range.1 {
            return exact;
        }
        let ends = range.0 < 0
            && !self.program.signed_wrap
            && match e {
                Expr::Unary(UnOp::Neg, ..) => true,
                Expr::Binary(op, ..) => {
                    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem)
                }
                _ => false,
            };
        if !ends {
            return Bounds::between(range);
        }
        let mut out = exact;
        out.upper.truncate(MOST - 1);
        out.lower.truncate(MOST - 1);
        out.upper.push(Term::number(range.1));
        out.lower.push(Term::number(range.0));
        out
    }

    fn converted(&self, x: &Expr, range: (i128, i128)) -> Bounds {
        let from = self.bounds(x);
        let fits = from.low(self.zone).is_some_and(|low| low >= range.0) && from.high(self.zone) <= range.1;
        if fits { from } else { Bounds::between(range) }
    }

    /// The exact result of an operation, before it is made one of the type.
    fn binary(&self, op: BinOp, l: &Expr, r: &Expr) -> Bounds {
        let (a, b) = (self.bounds(l), self.bounds(r));
        match op {
            BinOp::Add => return a.plus(&b),
            BinOp::Sub => return a.plus(&b.negated()),
            BinOp::Div => {
                if let Some(known) = self.factor(l, r).or_else(|| self.quotient(l, r)) {
                    return known;
                }
            }
            _ => {}
        }
        let (Some(x), Some(y)) = (self.interval(&a), self.interval(&b)) else { return Bounds::default() };
        let natural = x.0 >= 0;
        match op {
            BinOp::Mul => {
                let mut out = product(x, y).map(Bounds::between).unwrap_or_default();
                // Some times the whole is the whole and some more.
                for (whole, times, of) in [(&a, y, x), (&b, x, y)] {
                    if times.0 == times.1
                        && let Some(rest) = product(of, (times.0 - 1, times.0 - 1))
                    {
                        let sum = whole.plus(&Bounds::between(rest));
                        out.upper.extend(sum.upper.into_iter().take(2));
                        out.lower.extend(sum.lower.into_iter().take(2));
                    }
                }
                out
            }
            BinOp::Div if y.0 >= 1 => {
                let mut out = Bounds::between((
                    if natural { x.0 / y.1 } else { x.0 / y.0 },
                    if x.1 >= 0 { x.1 / y.0 } else { x.1 / y.1 },
                ));
                if natural {
                    // A half is less than the whole, unless that is 0.
                    let less = i128::from(x.0 >= 1 && y.0 >= 2);
                    out.upper.extend(a.upper.iter().map(|t| Term { number: t.number - less, ..*t }));
                }
                out
            }
            BinOp::Rem => remainder(&a, &b, x, y),
            BinOp::BitAnd if natural && y.0 >= 0 => {
                let mut out = Bounds::between((0, x.1.min(y.1)));
                out.upper.extend(a.upper.into_iter().chain(b.upper).take(MOST - 1));
                out
            }
            BinOp::BitAnd if natural => Bounds { upper: a.upper, lower: vec![Term::number(0)] },
            BinOp::BitAnd if y.0 >= 0 => Bounds { upper: b.upper, lower: vec![Term::number(0)] },
            BinOp::BitOr | BinOp::BitXor if natural && y.0 >= 0 => {
                let ones = (x.1.max(y.1) as u128 + 1).next_power_of_two() as i128 - 1;
                Bounds::between((if op == BinOp::BitOr { x.0.max(y.0) } else { 0 }, ones))
            }
            BinOp::Shl if y.0 == y.1 && (0..63).contains(&y.0) => {
                product(x, (1 << y.0, 1 << y.0)).map(Bounds::between).unwrap_or_default()
            }
            BinOp::Shr if y.0 == y.1 && (0..64).contains(&y.0) => {
                let mut out = Bounds::between((x.0 >> y.0, x.1 >> y.0));
                if natural {
                    out.upper.extend(a.upper);
                }
                out
            }
            BinOp::Shr if natural => Bounds { upper: a.upper, lower: vec![Term::number(0)] },
            _ => Bounds::default(),
        }
    }

    /// `x` for `x * c / c`, where the product is one of the type.
    fn factor(&self, l: &Expr, r: &Expr) -> Option<Bounds> {
        let Expr::Binary(BinOp::Mul, x, c, ty) = l else { return None };
        let (x, c) = if x.as_const().is_some() { (c, x) } else { (x, c) };
        let (c, range) = (c.as_const().filter(|c| *c > 0)?, range(ty, self.program.model)?);
        let bounds = self.bounds(x);
        let (low, high) = self.interval(&bounds)?;
        let fits = low.checked_mul(c)? >= range.0 && high.checked_mul(c)? <= range.1;
        (fits && r.as_const() == Some(c)).then_some(bounds)
    }

    /// A quotient that the zones know.
    fn quotient(&self, l: &Expr, r: &Expr) -> Option<Bounds> {
        let Expr::Load(lv) = l else { return None };
        let known = self.dims.asked(lv, Some(Question::Quotient(r.as_const()?)))?;
        Some(Bounds::exactly(Term::place(known)))
    }

    fn interval(&self, bounds: &Bounds) -> Option<(i128, i128)> {
        let high = bounds.high(self.zone);
        bounds.low(self.zone).filter(|_| high != NONE).map(|low| (low, high))
    }
}

/// Whether the location is a part of a variable that no index can leave.
fn is_object(lv: &Lvalue) -> bool {
    matches!(lv.base, Base::Var(_)) && lv.is_fixed()
}

fn product(x: (i128, i128), y: (i128, i128)) -> Option<(i128, i128)> {
    let mut all = [0; 4];
    for (slot, (a, b)) in all.iter_mut().zip([(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)]) {
        *slot = a.checked_mul(b).filter(|p| p.unsigned_abs() < 1 << 100)?;
    }
    Some((all.into_iter().min()?, all.into_iter().max()?))
}

/// `a % b` has the sign of `a`, and is less than `b` in size.
fn remainder(a: &Bounds, b: &Bounds, x: (i128, i128), y: (i128, i128)) -> Bounds {
    if x.0 >= 0 && y.0 > x.1 {
        return a.clone();
    }
    let most = y.0.abs().max(y.1.abs()) - 1;
    if most < 0 {
        return Bounds::default();
    }
    let low = if x.0 >= 0 { 0 } else { x.0.max(-most) };
    let mut out = Bounds::between((low, if x.1 <= 0 { 0 } else { x.1.min(most) }));
    if x.0 >= 0 {
        out.upper.extend(a.upper.iter().take(2));
    }
    if y.0 >= 1 && x.1 >= 0 {
        let less = |t: &Term| Term { number: t.number - 1, ..*t };
        out.upper.extend(b.upper.iter().take(2).map(less));
    }
    out
}
