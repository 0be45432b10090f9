//! Expressions as diagrams. One that makes choices is a pair of functions, "can be 1" and "can be 0": exact, because
//! every choice is independent of the others.

use crate::machine::Machine;
use bdd::{Engine, Var};
use bp::{BinOp, Expr, VarId};

/// A value with its choices.
enum Rail<B> {
    Certain(B),
    Choice { one: B, zero: B },
}

impl<E: Engine> Machine<'_, E> {
    /// The states in which the condition can have the value, and `constrain` can hold.
    pub(crate) fn filter(
        &mut self,
        cond: &Expr<VarId>,
        value: bool,
        constrain: Option<&Expr<VarId>>,
    ) -> E::Bdd {
        let cond = match (self.rail(cond, &[]), value) {
            (Rail::Certain(b), true)
            | (Rail::Choice { one: b, .. }, true)
            | (Rail::Choice { zero: b, .. }, false) => b,
            (Rail::Certain(b), false) => self.engine.not(&b),
        };
        match constrain {
            None => cond,
            Some(e) => {
                let e = self.can_be_one(e, &[]);
                self.engine.and(&cond, &e)
            }
        }
    }

    /// `out` is a value that the expression can have.
    pub(crate) fn defines(&mut self, out: Var, value: &Expr<VarId>) -> E::Bdd {
        let out = self.engine.var(out);
        match self.rail(value, &[]) {
            Rail::Certain(b) => self.engine.iff(&out, &b),
            Rail::Choice { one, zero } => {
                let high = self.engine.and(&one, &out);
                let low = self.engine.and_not(&zero, &out);
                self.engine.or(&high, &low)
            }
        }
    }

    /// Where some evaluation gives 1. Next-state variables stand for next values when they are among
    /// `changed`, else for current ones.
    pub(crate) fn can_be_one(&mut self, e: &Expr<VarId>, changed: &[VarId]) -> E::Bdd {
        match self.rail(e, changed) {
            Rail::Certain(b) => b,
            Rail::Choice { one, .. } => one,
        }
    }

    fn rail(&mut self, e: &Expr<VarId>, changed: &[VarId]) -> Rail<E::Bdd> {
        match e {
            Expr::Const(b) => Rail::Certain(self.engine.constant(*b)),
            Expr::Star => {
                let one = self.engine.constant(true);
                Rail::Choice { one: one.clone(), zero: one }
            }
            Expr::Next(v) if changed.contains(v) => {
                let var = self.space.slot(*v).next();
                Rail::Certain(self.engine.var(var))
            }
            Expr::Var(v) | Expr::Next(v) => {
                let var = self.space.slot(*v).current();
                Rail::Certain(self.engine.var(var))
            }
            Expr::Not(a) => match self.rail(a, changed) {
                Rail::Certain(b) => Rail::Certain(self.engine.not(&b)),
                Rail::Choice { one, zero } => Rail::Choice { one: zero, zero: one },
            },
            Expr::And(es) => {
                let first = Rail::Certain(self.engine.constant(true));
                es.iter().fold(first, |acc, e| {
                    let e = self.rail(e, changed);
                    self.rail_and(acc, e)
                })
            }
            Expr::Or(es) => {
                let first = Rail::Certain(self.engine.constant(true));
                let none = es.iter().fold(first, |acc, e| {
                    let e = self.rail(e, changed);
                    let e = self.rail_not(e);
                    self.rail_and(acc, e)
                });
                self.rail_not(none)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.rail(a, changed), self.rail(b, changed));
                match op {
                    BinOp::Xor | BinOp::Ne => self.rail_xor(a, b),
                    BinOp::Eq => {
                        let differ = self.rail_xor(a, b);
                        self.rail_not(differ)
                    }
                    BinOp::Implies => {
                        let b = self.rail_not(b);
                        let fails = self.rail_and(a, b);
                        self.rail_not(fails)
                    }
                }
            }
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.rail(c, changed), self.rail(a, changed), self.rail(b, changed));
                let (c1, c0) = self.both(&c);
                let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
                let one = self.either(&c1, &a1, &c0, &b1);
                let zero = self.either(&c1, &a0, &c0, &b0);
                Rail::Choice { one, zero }
            }
            Expr::Choose(a, b) => {
                let (a, b) = (self.rail(a, changed), self.rail(b, changed));
                let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
                let neither = self.engine.and(&a0, &b0);
                let one = self.engine.or(&a1, &neither);
                let second = self.engine.or(&b1, &b0);
                let zero = self.engine.and(&a0, &second);
                Rail::Choice { one, zero }
            }
        }
    }

    /// "Can be 1" and "can be 0".
    fn both(&mut self, rail: &Rail<E::Bdd>) -> (E::Bdd, E::Bdd) {
        match rail {
            Rail::Certain(b) => (b.clone(), self.engine.not(b)),
            Rail::Choice { one, zero } => (one.clone(), zero.clone()),
        }
    }

    fn either(&mut self, c1: &E::Bdd, a: &E::Bdd, c0: &E::Bdd, b: &E::Bdd) -> E::Bdd {
        let first = self.engine.and(c1, a);
        let second = self.engine.and(c0, b);
        self.engine.or(&first, &second)
    }

    fn rail_not(&mut self, a: Rail<E::Bdd>) -> Rail<E::Bdd> {
        match a {
            Rail::Certain(b) => Rail::Certain(self.engine.not(&b)),
            Rail::Choice { one, zero } => Rail::Choice { one: zero, zero: one },
        }
    }

    fn rail_and(&mut self, a: Rail<E::Bdd>, b: Rail<E::Bdd>) -> Rail<E::Bdd> {
        if let (Rail::Certain(a), Rail::Certain(b)) = (&a, &b) {
            return Rail::Certain(self.engine.and(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
        let one = self.engine.and(&a1, &b1);
        let zero = self.engine.or(&a0, &b0);
        Rail::Choice { one, zero }
    }

    fn rail_xor(&mut self, a: Rail<E::Bdd>, b: Rail<E::Bdd>) -> Rail<E::Bdd> {
        if let (Rail::Certain(a), Rail::Certain(b)) = (&a, &b) {
            return Rail::Certain(self.engine.xor(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(&a), self.both(&b));
        let one = self.either(&a1, &b0, &a0, &b1);
        let zero = self.either(&a1, &b1, &a0, &b0);
        Rail::Choice { one, zero }
    }
}
