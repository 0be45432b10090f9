//! What assignments and conditions do to a zone.

use super::bounds::{Bounds, Eval, Term};
use super::dims::Dims;
use super::zone::{NONE, Zone};
use ir::{BinOp, Expr, Program, Type, UnOp};

/// How deeply nested `||` and truth values are followed.
const DEPTH: usize = 12;

/// What there is to know of a procedure.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) dims: &'a Dims,
    pub(crate) program: &'a Program,
}

impl Frame<'_> {
    /// Nothing but what types say.
    pub(crate) fn any(&self) -> Zone {
        Zone::any(self.dims.list.iter().map(|dim| dim.range))
    }

    fn eval<'z>(&'z self, zone: &'z Zone) -> Eval<'z> {
        Eval { dims: self.dims, zone, program: self.program }
    }

    /// The bounds of an expression in a state.
    pub(crate) fn bounds(&self, zone: &Zone, e: &Expr) -> Bounds {
        self.eval(zone).bounds(e)
    }

    /// Nothing is known of a place any more.
    pub(crate) fn forget(&self, zone: &mut Zone, number: usize) {
        zone.forget(number, self.dims.place(number).range);
    }

    /// A place has a value with these bounds; `None` when no execution goes on.
    pub(crate) fn assigned(&self, zone: &Zone, number: usize, value: &Bounds) -> Option<Zone> {
        let range = self.dims.place(number).range;
        let least = |terms: &[Term], of: &dyn Fn(&Term) -> Option<Term>| {
            terms.iter().filter_map(|t| Some(of(t)?.greatest(zone))).min().unwrap_or(NONE)
        };
        let mut bounds: Vec<(i128, i128)> = (0..zone.size())
            .map(|j| {
                let other = Term::place(j);
                (least(&value.upper, &|t| t.less(other)), least(&value.lower, &|t| other.less(*t)))
            })
            .collect();
        bounds[0] = (bounds[0].0.min(range.1), bounds[0].1.min(-range.0));
        let mut out = zone.clone();
        out.assign(number, &bounds).then_some(out)
    }

    /// The states in which the condition holds; `None` when there is none.
    pub(crate) fn refined(&self, zone: Zone, condition: &Expr) -> Option<Zone> {
        let once = self.refine(zone, condition, DEPTH)?;
        match condition {
            // What the last part says may sharpen what the first one says.
            Expr::Binary(BinOp::And, ..) => self.refine(once, condition, DEPTH),
            _ => Some(once),
        }
    }

    /// Whether the condition holds in all the states, where it is defined.
    pub(crate) fn implies(&self, zone: &Zone, condition: &Expr) -> bool {
        self.refined(zone.clone(), &condition.clone().negated()).is_none()
    }

    fn refine(&self, zone: Zone, condition: &Expr, depth: usize) -> Option<Zone> {
        match condition {
            Expr::Const(c, _) => (*c != 0).then_some(zone),
            Expr::Binary(BinOp::And, l, r, _) => self.refine(self.refine(zone, l, depth)?, r, depth),
            Expr::Binary(BinOp::Or, l, r, _) => {
                if depth == 0 {
                    return Some(zone);
                }
                let first = self.refine(zone.clone(), l, depth - 1);
                let second = self.refine(zone, r, depth - 1);
                match (first, second) {
                    (Some(a), Some(b)) => Some(a.joined(&b)),
                    (one, other) => one.or(other),
                }
            }
            Expr::Binary(op, l, r, _) if op.is_comparison() => self.compare(zone, *op, l, r, depth),
            Expr::Unary(UnOp::Not, e, _) => match (**e).clone().negated() {
                Expr::Unary(UnOp::Not, ..) => Some(zone),
                opposite => self.refine(zone, &opposite, depth),
            },
            Expr::Float(..) | Expr::Old(_) | Expr::Cond(..) => Some(zone),
            e if matches!(e.ty(), Type::Int(_) | Type::Ptr(_)) => {
                self.refine(zone, &e.clone().truthy(), depth)
            }
            _ => Some(zone),
        }
    }

    fn compare(&self, mut zone: Zone, op: BinOp, l: &Expr, r: &Expr, depth: usize) -> Option<Zone> {
        // A truth value that is compared with 0.
        if r.is_zero() && l.uncast().is_condition() && l.uncast().as_const().is_none() && depth > 0 {
            match op {
                BinOp::Ne => return self.refine(zone, l.uncast(), depth - 1),
                BinOp::Eq => return self.refine(zone, &l.uncast().clone().negated(), depth - 1),
                _ => {}
            }
        }
        if matches!(l.ty(), Type::Float(_)) || matches!(r.ty(), Type::Float(_)) {
            return Some(zone);
        }
        let (a, b) = (self.bounds(&zone, l), self.bounds(&zone, r));
        match op {
            BinOp::Le => self.at_most(zone, &a, &b, 0),
            BinOp::Lt => self.at_most(zone, &a, &b, -1),
            BinOp::Ge => self.at_most(zone, &b, &a, 0),
            BinOp::Gt => self.at_most(zone, &b, &a, -1),
            BinOp::Eq => {
                zone = self.at_most(zone, &a, &b, 0)?;
                self.at_most(zone, &b, &a, 0)
            }
            BinOp::Ne if never_more(&zone, &a, &b) => self.at_most(zone, &a, &b, -1),
            BinOp::Ne if never_more(&zone, &b, &a) => self.at_most(zone, &b, &a, -1),
            _ => Some(zone),
        }
    }

    /// The states in which the first value is at most the second one and the number.
    fn at_most(&self, mut zone: Zone, a: &Bounds, b: &Bounds, number: i128) -> Option<Zone> {
        let terms = a.lower.iter().flat_map(|x| b.upper.iter().filter_map(|y| x.less(*y)));
        for term in terms {
            // The term, a difference of places and a number, is at most `number`.
            if term.plus == term.minus {
                if term.number > number {
                    return None;
                }
            } else if !zone.add(term.plus, term.minus, number - term.number) {
                return None;
            }
        }
        Some(zone)
    }
}

/// Whether the first value is never more than the second one.
fn never_more(zone: &Zone, a: &Bounds, b: &Bounds) -> bool {
    let terms = a.upper.iter().flat_map(|x| b.lower.iter().filter_map(|y| x.less(*y)));
    terms.into_iter().any(|term| term.greatest(zone) <= 0)
}
