//! Expressions of boolean programs, compiled: each `*` that is not stored as it is gets a slot of its own.

use super::{At, Compiler, Reading};
use crate::ast::BinOp;
use crate::code::{Expr, Instr, Place, Ty, VarInfo};
use crate::value::Value;
use bp::VarId;

impl Compiler<'_> {
    pub(super) fn temporary(&mut self, at: At) -> u16 {
        let locals = &mut self.code.procs[at.proc].locals;
        locals.push(VarInfo { name: String::new(), ty: Ty::Bool, initial: Value::Open });
        u16::try_from(locals.len() - 1).expect("no procedure has that many variables")
    }

    /// A slot that is open when what follows is executed.
    pub(super) fn open(&mut self, at: At) -> u16 {
        let slot = self.temporary(at);
        self.emit(at, Instr::Assign(vec![(Place::Local(slot), Expr::Const(Value::Open))]));
        slot
    }

    /// An expression whose value is stored: it may stay open.
    pub(super) fn value(&mut self, at: At, e: &bp::Expr<VarId>, reading: Reading<'_>) -> Expr {
        match e {
            bp::Expr::Star => Expr::Const(Value::Open),
            bp::Expr::Choose(a, b) => {
                let (a, b) = (self.condition(at, a, reading), self.condition(at, b, reading));
                chosen(a, b, Expr::Const(Value::Open))
            }
            bp::Expr::Ite(c, a, b) => {
                let c = self.condition(at, c, reading);
                let (a, b) = (self.value(at, a, reading), self.value(at, b, reading));
                Expr::Ite(Box::new(c), Box::new(a), Box::new(b))
            }
            other => self.condition(at, other, reading),
        }
    }

    /// An expression whose value is examined.
    pub(super) fn condition(&mut self, at: At, e: &bp::Expr<VarId>, reading: Reading<'_>) -> Expr {
        let constant = |b| Expr::Const(Value::Bool(b));
        match e {
            bp::Expr::Const(b) => constant(*b),
            bp::Expr::Star => Expr::Local(self.open(at)),
            bp::Expr::Var(v) => self.variable(*v, reading.now),
            bp::Expr::Next(v) => self.variable(*v, reading.next),
            bp::Expr::Not(a) => Expr::Not(Box::new(self.condition(at, a, reading))),
            bp::Expr::And(es) => {
                let es = es.iter().map(|e| self.condition(at, e, reading)).collect();
                balanced(BinOp::And, es).unwrap_or(constant(true))
            }
            bp::Expr::Or(es) => {
                let es = es.iter().map(|e| self.condition(at, e, reading)).collect();
                balanced(BinOp::Or, es).unwrap_or(constant(false))
            }
            bp::Expr::Binary(op, a, b) => {
                let (a, b) = (self.condition(at, a, reading), self.condition(at, b, reading));
                match op {
                    bp::BinOp::Eq => binary(BinOp::Eq, a, b),
                    bp::BinOp::Ne | bp::BinOp::Xor => binary(BinOp::Ne, a, b),
                    bp::BinOp::Implies => binary(BinOp::Or, Expr::Not(Box::new(a)), b),
                }
            }
            bp::Expr::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|e| Box::new(self.condition(at, e, reading)));
                Expr::Ite(c, a, b)
            }
            bp::Expr::Choose(a, b) => {
                let (a, b) = (self.condition(at, a, reading), self.condition(at, b, reading));
                chosen(a, b, Expr::Local(self.open(at)))
            }
        }
    }

    pub(super) fn variable(&self, v: VarId, others: &[(VarId, u16)]) -> Expr {
        if let Some((_, slot)) = others.iter().find(|(var, _)| *var == v) {
            return Expr::Local(*slot);
        }
        match self.slots[v] {
            Place::Local(slot) => Expr::Local(slot),
            Place::Static(i) => Expr::Static(i),
            Place::Field(..) => unreachable!("boolean programs have no objects"),
        }
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// `choose[a, b]`
fn chosen(a: Expr, b: Expr, open: Expr) -> Expr {
    let constant = |b| Box::new(Expr::Const(Value::Bool(b)));
    let rest = Expr::Ite(Box::new(b), constant(false), Box::new(open));
    Expr::Ite(Box::new(a), constant(true), Box::new(rest))
}

/// The operands as a tree that is not deep; nothing if there are none.
fn balanced(op: BinOp, mut es: Vec<Expr>) -> Option<Expr> {
    while es.len() > 1 {
        let mut halved = vec![];
        let mut rest = es.into_iter();
        while let Some(a) = rest.next() {
            halved.push(match rest.next() {
                Some(b) => binary(op, a, b),
                None => a,
            });
        }
        es = halved;
    }
    es.pop()
}
