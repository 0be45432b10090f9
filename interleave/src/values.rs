//! Values of expressions on states in which some variables' values are not known.

use crate::bits::Bits;
use bp::{BinOp, Expr};

/// Where the value of a variable stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the shared variables.
    Shared(u8),
    /// In the frame.
    Own(u8),
}

/// A variable whose value has to be known: that before the step, or that behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    Now(Place),
    Next(Place),
}

/// The values that one evaluation can give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Can {
    pub(crate) zero: bool,
    pub(crate) one: bool,
}

impl Can {
    const BOTH: Can = Can { zero: true, one: true };

    fn known(value: bool) -> Can {
        Can { zero: !value, one: value }
    }

    pub(crate) fn be(self, value: bool) -> bool {
        if value { self.one } else { self.zero }
    }

    /// The value; `None` for either.
    pub(crate) fn value(self) -> Option<bool> {
        (self.zero != self.one).then_some(self.one)
    }

    fn not(self) -> Can {
        Can { zero: self.one, one: self.zero }
    }
}

/// Values of the variables in scope.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) shared: Bits,
    pub(crate) own: Bits,
}

impl Scope {
    pub(crate) fn get(&self, place: Place) -> Option<bool> {
        match place {
            Place::Shared(at) => self.shared.get(at),
            Place::Own(at) => self.own.get(at),
        }
    }

    pub(crate) fn set(&mut self, place: Place, value: Option<bool>) {
        match place {
            Place::Shared(at) => self.shared.set(at, value),
            Place::Own(at) => self.own.set(at, value),
        }
    }
}

/// What the expression can be. Every `*` is a choice of its own and every variable has one value, so that the operands'
/// values are independent of each other.
///
/// # Errors
/// A variable whose value has to be known first.
pub(crate) fn can(e: &Expr<Place>, now: &Scope, next: &Scope) -> Result<Can, Asked> {
    let value = |e: &Expr<Place>| can(e, now, next);
    Ok(match e {
        Expr::Const(b) => Can::known(*b),
        Expr::Star => Can::BOTH,
        Expr::Var(place) => Can::known(now.get(*place).ok_or(Asked::Now(*place))?),
        Expr::Next(place) => Can::known(next.get(*place).ok_or(Asked::Next(*place))?),
        Expr::Not(a) => value(a)?.not(),
        Expr::And(es) => all(es, value)?,
        // One of them holds if not all of their negations do.
        Expr::Or(es) => all(es, |e| Ok(value(e)?.not()))?.not(),
        Expr::Binary(op, a, b) => binary(*op, value(a)?, value(b)?),
        Expr::Ite(c, a, b) => {
            let c = value(c)?;
            let mut out = Can { zero: false, one: false };
            for branch in [c.one.then_some(a), c.zero.then_some(b)].into_iter().flatten() {
                let branch = value(branch)?;
                out = Can { zero: out.zero || branch.zero, one: out.one || branch.one };
            }
            out
        }
        Expr::Choose(a, b) => {
            let a = value(a)?;
            let mut out = Can { zero: false, one: a.one };
            if a.zero {
                let b = value(b)?;
                out = Can { zero: b.one || b.zero, one: out.one || b.zero };
            }
            out
        }
    })
}

/// The conjunction; what stands behind one that cannot hold is not asked for.
fn all(es: &[Expr<Place>], value: impl Fn(&Expr<Place>) -> Result<Can, Asked>) -> Result<Can, Asked> {
    let mut out = Can::known(true);
    for e in es {
        let one = value(e)?;
        out = Can { zero: out.zero || one.zero, one: out.one && one.one };
        if !out.one {
            break;
        }
    }
    Ok(out)
}

fn binary(op: BinOp, a: Can, b: Can) -> Can {
    let same = a.zero && b.zero || a.one && b.one;
    let other = a.zero && b.one || a.one && b.zero;
    match op {
        BinOp::Eq => Can { zero: other, one: same },
        BinOp::Ne | BinOp::Xor => Can { zero: same, one: other },
        BinOp::Implies => Can { zero: a.one && b.zero, one: a.zero || b.one },
    }
}
