//! Expressions of boolean programs as diagrams. One that makes choices is a pair of functions, "can be 1" and "can be 0":
//! exact, because every choice is independent of the others.

use crate::{Engine, Var};
use bp::{BinOp, Expr, VarId};

/// A value with its choices.
#[derive(Clone, Debug)]
pub enum DualRail<B> {
    /// There is one value.
    Certain(B),
    /// The set where it can be 1, and the set where it can be 0; they overlap.
    Choice {
        /// Can be 1.
        one: B,
        /// Can be 0.
        zero: B,
    },
}

use DualRail::{Certain, Choice};

impl<B: Clone> DualRail<B> {
    /// The expression, with the values of variables given by `var`; the flag is set for next values.
    pub fn new<E: Engine<Bdd = B>>(
        engine: &mut E,
        e: &Expr<VarId>,
        var: &mut dyn FnMut(&mut E, VarId, bool) -> B,
    ) -> DualRail<B> {
        match e {
            Expr::Const(b) => Certain(engine.constant(*b)),
            Expr::Star => Choice { one: engine.constant(true), zero: engine.constant(true) },
            Expr::Var(v) => Certain(var(engine, *v, false)),
            Expr::Next(v) => Certain(var(engine, *v, true)),
            Expr::Not(a) => DualRail::new(engine, a, var).not(engine),
            Expr::And(es) => es.iter().fold(Certain(engine.constant(true)), |all, e| {
                let e = DualRail::new(engine, e, var);
                all.and(engine, e)
            }),
            Expr::Or(es) => {
                let none = es.iter().fold(Certain(engine.constant(true)), |none, e| {
                    let e = DualRail::new(engine, e, var).not(engine);
                    none.and(engine, e)
                });
                none.not(engine)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (DualRail::new(engine, a, var), DualRail::new(engine, b, var));
                match op {
                    BinOp::Xor | BinOp::Ne => a.xor(engine, b),
                    BinOp::Eq => a.xor(engine, b).not(engine),
                    BinOp::Implies => {
                        let b = b.not(engine);
                        a.and(engine, b).not(engine)
                    }
                }
            }
            Expr::Ite(c, a, b) => {
                let [(c1, c0), (a1, a0), (b1, b0)] =
                    [c, a, b].map(|e| DualRail::new(engine, e, var).both(engine));
                Choice { one: either(engine, &c1, &a1, &c0, &b1), zero: either(engine, &c1, &a0, &c0, &b0) }
            }
            Expr::Choose(a, b) => {
                let [(a1, a0), (b1, b0)] = [a, b].map(|e| DualRail::new(engine, e, var).both(engine));
                let neither = engine.and(&a0, &b0);
                let one = engine.or(&a1, &neither);
                let second = engine.or(&b1, &b0);
                Choice { one, zero: engine.and(&a0, &second) }
            }
        }
    }

    /// The set where some evaluation gives the value.
    pub fn can_be<E: Engine<Bdd = B>>(self, engine: &mut E, value: bool) -> B {
        match (self, value) {
            (Certain(b), false) => engine.not(&b),
            (Certain(b) | Choice { one: b, .. }, true) | (Choice { zero: b, .. }, false) => b,
        }
    }

    /// The relation that the variable has a value that some evaluation gives.
    pub fn defines<E: Engine<Bdd = B>>(self, engine: &mut E, out: Var) -> B {
        let out = engine.var(out);
        self.becomes(engine, &out)
    }

    /// The relation that the function has a value that some evaluation gives.
    pub fn becomes<E: Engine<Bdd = B>>(self, engine: &mut E, out: &B) -> B {
        match self {
            Certain(b) => engine.iff(out, &b),
            Choice { one, zero } => {
                let high = engine.and(&one, out);
                let low = engine.and_not(&zero, out);
                engine.or(&high, &low)
            }
        }
    }

    /// "Can be 1" and "can be 0".
    fn both<E: Engine<Bdd = B>>(self, engine: &mut E) -> (B, B) {
        match self {
            Certain(b) => {
                let not = engine.not(&b);
                (b, not)
            }
            Choice { one, zero } => (one, zero),
        }
    }

    fn not<E: Engine<Bdd = B>>(self, engine: &mut E) -> DualRail<B> {
        match self {
            Certain(b) => Certain(engine.not(&b)),
            Choice { one, zero } => Choice { one: zero, zero: one },
        }
    }

    fn and<E: Engine<Bdd = B>>(self, engine: &mut E, other: DualRail<B>) -> DualRail<B> {
        if let (Certain(a), Certain(b)) = (&self, &other) {
            return Certain(engine.and(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(engine), other.both(engine));
        Choice { one: engine.and(&a1, &b1), zero: engine.or(&a0, &b0) }
    }

    fn xor<E: Engine<Bdd = B>>(self, engine: &mut E, other: DualRail<B>) -> DualRail<B> {
        if let (Certain(a), Certain(b)) = (&self, &other) {
            return Certain(engine.xor(a, b));
        }
        let ((a1, a0), (b1, b0)) = (self.both(engine), other.both(engine));
        Choice { one: either(engine, &a1, &b0, &a0, &b1), zero: either(engine, &a1, &b1, &a0, &b0) }
    }
}

/// `a & b | c & d`
fn either<E: Engine>(engine: &mut E, a: &E::Bdd, b: &E::Bdd, c: &E::Bdd, d: &E::Bdd) -> E::Bdd {
    let first = engine.and(a, b);
    let second = engine.and(c, d);
    engine.or(&first, &second)
}
