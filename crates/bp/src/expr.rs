//! Expressions. An expression may hold choices: every `*` is a choice of its own, and so is a `choose[a, b]`
//! in which neither side holds. The constructors fold constants and nothing else.

use crate::name::Ident;
use std::fmt::Debug;

/// A binary operator; `&` and `|` are not among them, they take any number of operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    /// `^`
    Xor,
    /// `=`
    Eq,
    /// `!=`: the same function as [`BinOp::Xor`], kept apart for printing.
    Ne,
    /// `=>`
    Implies,
}

/// An expression over variables of type `V`: [`Ident`] in the syntax tree, [`crate::VarId`] in the CFG.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr<V = Ident> {
    /// `0` or `1`.
    Const(bool),
    /// `*`: either value, chosen anew at each evaluation.
    Star,
    /// The variable's value before the statement.
    Var(V),
    /// `'x`: the variable's value after the statement; only in `constrain`.
    Next(V),
    /// Negation.
    Not(Box<Expr<V>>),
    /// Conjunction of at least two operands.
    And(Vec<Expr<V>>),
    /// Disjunction of at least two operands.
    Or(Vec<Expr<V>>),
    /// A binary operator.
    Binary(BinOp, Box<Expr<V>>, Box<Expr<V>>),
    /// `c ? a : b`.
    Ite(Box<Expr<V>>, Box<Expr<V>>, Box<Expr<V>>),
    /// `choose[a, b]`: 1 if `a` holds, else 0 if `b` holds, else either value.
    Choose(Box<Expr<V>>, Box<Expr<V>>),
}

impl Expr<Ident> {
    /// The variable of this name.
    pub fn var(name: impl Into<Ident>) -> Expr {
        Expr::Var(name.into())
    }

    /// The variable's next value, `'x`.
    pub fn next(name: impl Into<Ident>) -> Expr {
        Expr::Next(name.into())
    }
}

impl<V> Expr<V> {
    /// The constant 1.
    pub fn one() -> Expr<V> {
        Expr::Const(true)
    }

    /// The constant 0.
    pub fn zero() -> Expr<V> {
        Expr::Const(false)
    }

    /// `!e`; a double negation is removed. (An associated function: it takes the operand like the others.)
    #[expect(clippy::should_implement_trait, reason = "read as bp::Expr::not(e), beside and/or/xor")]
    pub fn not(e: Expr<V>) -> Expr<V> {
        match e {
            Expr::Const(b) => Expr::Const(!b),
            Expr::Star => Expr::Star,
            Expr::Not(e) => *e,
            e => Expr::Not(Box::new(e)),
        }
    }

    /// The conjunction; nested conjunctions are flattened, no operand gives 1.
    pub fn and(operands: impl IntoIterator<Item = Expr<V>>) -> Expr<V> {
        let mut out = Vec::new();
        for e in operands {
            match e {
                Expr::Const(true) => {}
                Expr::Const(false) => return Expr::Const(false),
                Expr::And(es) => out.extend(es),
                e => out.push(e),
            }
        }
        match out.len() {
            0 => Expr::Const(true),
            1 => out.pop().expect("the length is one"),
            _ => Expr::And(out),
        }
    }

    /// The disjunction; nested disjunctions are flattened, no operand gives 0.
    pub fn or(operands: impl IntoIterator<Item = Expr<V>>) -> Expr<V> {
        let mut out = Vec::new();
        for e in operands {
            match e {
                Expr::Const(false) => {}
                Expr::Const(true) => return Expr::Const(true),
                Expr::Or(es) => out.extend(es),
                e => out.push(e),
            }
        }
        match out.len() {
            0 => Expr::Const(false),
            1 => out.pop().expect("the length is one"),
            _ => Expr::Or(out),
        }
    }

    /// `a op b`, folded when an operand is constant.
    pub fn binary(op: BinOp, a: Expr<V>, b: Expr<V>) -> Expr<V> {
        match (op, a, b) {
            (BinOp::Eq, Expr::Const(c), e) | (BinOp::Eq, e, Expr::Const(c)) => {
                if c {
                    e
                } else {
                    Expr::not(e)
                }
            }
            (BinOp::Ne | BinOp::Xor, Expr::Const(c), e) | (BinOp::Ne | BinOp::Xor, e, Expr::Const(c)) => {
                if c { Expr::not(e) } else { e }
            }
            (BinOp::Implies, Expr::Const(true), e) => e,
            (BinOp::Implies, Expr::Const(false), _) | (BinOp::Implies, _, Expr::Const(true)) => {
                Expr::Const(true)
            }
            (BinOp::Implies, e, Expr::Const(false)) => Expr::not(e),
            (op, a, b) => Expr::Binary(op, Box::new(a), Box::new(b)),
        }
    }

    /// `a = b`.
    pub fn iff(a: Expr<V>, b: Expr<V>) -> Expr<V> {
        Expr::binary(BinOp::Eq, a, b)
    }

    /// `a ^ b`.
    pub fn xor(a: Expr<V>, b: Expr<V>) -> Expr<V> {
        Expr::binary(BinOp::Xor, a, b)
    }

    /// `a => b`.
    pub fn implies(a: Expr<V>, b: Expr<V>) -> Expr<V> {
        Expr::binary(BinOp::Implies, a, b)
    }

    /// `c ? a : b`.
    pub fn ite(c: Expr<V>, a: Expr<V>, b: Expr<V>) -> Expr<V> {
        match c {
            Expr::Const(true) => a,
            Expr::Const(false) => b,
            c => Expr::Ite(Box::new(c), Box::new(a), Box::new(b)),
        }
    }

    /// `choose[a, b]`.
    pub fn choose(a: Expr<V>, b: Expr<V>) -> Expr<V> {
        match (a, b) {
            (Expr::Const(true), _) => Expr::Const(true),
            (Expr::Const(false), Expr::Const(true)) => Expr::Const(false),
            (Expr::Const(false), Expr::Const(false)) => Expr::Star,
            (a, b) => Expr::Choose(Box::new(a), Box::new(b)),
        }
    }

    /// The operands, left to right.
    pub fn operands(&self) -> Vec<&Expr<V>> {
        match self {
            Expr::Const(_) | Expr::Star | Expr::Var(_) | Expr::Next(_) => vec![],
            Expr::Not(a) => vec![a],
            Expr::And(es) | Expr::Or(es) => es.iter().collect(),
            Expr::Binary(_, a, b) | Expr::Choose(a, b) => vec![a, b],
            Expr::Ite(c, a, b) => vec![c, a, b],
        }
    }

    /// Calls `f` on every variable, left to right; the flag is true for a next-state variable.
    pub fn for_each_var<'a>(&'a self, f: &mut impl FnMut(&'a V, bool)) {
        match self {
            Expr::Const(_) | Expr::Star => {}
            Expr::Var(v) => f(v, false),
            Expr::Next(v) => f(v, true),
            Expr::Not(a) => a.for_each_var(f),
            Expr::And(es) | Expr::Or(es) => es.iter().for_each(|e| e.for_each_var(f)),
            Expr::Binary(_, a, b) | Expr::Choose(a, b) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Expr::Ite(c, a, b) => {
                c.for_each_var(f);
                a.for_each_var(f);
                b.for_each_var(f);
            }
        }
    }

    /// Whether some evaluation may choose: a `*` or a `choose` occurs.
    pub fn has_choice(&self) -> bool {
        match self {
            Expr::Star | Expr::Choose(..) => true,
            e => e.operands().into_iter().any(Expr::has_choice),
        }
    }

    /// The expression with every variable replaced; fails at the first variable for which `f` fails.
    /// The flag of `f` is true for a next-state variable.
    pub fn try_map<W, E>(&self, f: &mut impl FnMut(&V, bool) -> Result<W, E>) -> Result<Expr<W>, E> {
        Ok(match self {
            Expr::Const(b) => Expr::Const(*b),
            Expr::Star => Expr::Star,
            Expr::Var(v) => Expr::Var(f(v, false)?),
            Expr::Next(v) => Expr::Next(f(v, true)?),
            Expr::Not(a) => Expr::Not(Box::new(a.try_map(f)?)),
            Expr::And(es) => Expr::And(es.iter().map(|e| e.try_map(f)).collect::<Result<_, E>>()?),
            Expr::Or(es) => Expr::Or(es.iter().map(|e| e.try_map(f)).collect::<Result<_, E>>()?),
            Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(a.try_map(f)?), Box::new(b.try_map(f)?)),
            Expr::Ite(c, a, b) => {
                Expr::Ite(Box::new(c.try_map(f)?), Box::new(a.try_map(f)?), Box::new(b.try_map(f)?))
            }
            Expr::Choose(a, b) => Expr::Choose(Box::new(a.try_map(f)?), Box::new(b.try_map(f)?)),
        })
    }
}
