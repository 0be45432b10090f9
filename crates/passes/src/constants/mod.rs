//! Propagation: constants and copies replace reads of variables that are known to hold them.
//!
//! The known values come from `dataflow`: constants go into calls and come out of them, copies stay in one
//! procedure. Reads become the constant or, for temporaries only, the variable that was copied: predicates and
//! traces keep the source's variables. Nothing is known about variables that were not assigned, and operations
//! that C leaves undefined stay. The result has exactly the executions of the program: assigned variables,
//! edges, locations, ids, spans and kinds stay.

pub mod dataflow;

use crate::constants::dataflow::{self as known, Facts, Value};
use alias::oracle::AliasOracle;
use ir::expr::{BinOp, Expr, Lvalue, UnOp};
use ir::program::{Callee, Op, Program, VarId};
use ir::types::Type;
use std::collections::BTreeSet;

/// A program with constants and copies propagated.
#[derive(Clone, Debug)]
pub struct Propagated {
    /// The program.
    pub program: Program,
    /// How many reads became constants.
    pub constants: usize,
    /// How many reads became reads of the copied variable.
    pub copies: usize,
}

/// Propagates constants and copies; variables in `kept` stay where they are read. The oracle is the program's,
/// or that of a program of which it is a slice.
pub fn propagate(program: &Program, oracle: &AliasOracle, kept: &BTreeSet<VarId>) -> Propagated {
    let known = known::known(program, oracle, kept);
    let mut out = Propagated { program: program.clone(), constants: 0, copies: 0 };
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        for (e, edge) in proc.edges.iter_enumerated() {
            let Some(facts) = &known[p][edge.src] else { continue };
            let mut rewriter = Rewriter::new(program, facts);
            out.program.procs[p].edges[e].op = rewriter.op(&edge.op);
            out.constants += rewriter.constants;
            out.copies += rewriter.copies;
        }
    }
    out
}

/// The number that the expression is; of pointers only NULL is one.
pub(super) fn constant(e: &Expr) -> Option<i128> {
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v),
        Expr::Const(0, Type::Ptr(_)) => Some(0),
        Expr::Cast(inner, Type::Ptr(_)) if inner.is_zero() => Some(0),
        _ => None,
    }
}

/// Puts what is known in the place of reads, and counts.
pub(super) struct Rewriter<'a> {
    program: &'a Program,
    facts: &'a Facts,
    constants: usize,
    copies: usize,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(program: &'a Program, facts: &'a Facts) -> Rewriter<'a> {
        Rewriter { program, facts, constants: 0, copies: 0 }
    }

    fn op(&mut self, op: &Op) -> Op {
        let mut new = op.clone();
        if matches!(op, Op::Output { .. }) {
            return new;
        }
        if let Some(dest) = new.destination_mut() {
            *dest = self.inside(dest);
        }
        for (n, e) in new.operands_mut().into_iter().enumerate() {
            *e = match op {
                Op::Assume(_) | Op::Check(..) => self.condition(e),
                Op::Call { callee: Callee::Indirect(_), .. } if n == 0 => self.expr(e),
                Op::Assign(..) | Op::Call { .. } => self.whole(e),
                _ => self.expr(e),
            };
        }
        new
    }

    /// Pointers and indices inside of a destination are read; what they lead to is the same location.
    fn inside(&mut self, dest: &Lvalue) -> Lvalue {
        dest.clone().map(&mut |e| self.node(e))
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        e.clone().map(&mut |e| self.node(e))
    }

    /// An expression whose value is only passed on, so that it may be NULL itself.
    pub(super) fn whole(&mut self, e: &Expr) -> Expr {
        let e = self.expr(e);
        self.null(e)
    }

    pub(super) fn condition(&mut self, e: &Expr) -> Expr {
        let e = self.whole(e);
        truth(&e).map_or(e, Expr::truth)
    }

    fn known(&self, v: VarId) -> Option<Value> {
        self.facts.get(&v).copied()
    }

    /// The node, whose operands are done. NULL is put only where it is compared or passed on: a dereference of a
    /// variable stays one.
    fn node(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Load(lv) => match lv.as_var().and_then(|v| self.known(v)) {
                Some(Value::Constant(c)) if lv.ty.as_int().is_some() => {
                    self.constants += 1;
                    Expr::Const(c, lv.ty)
                }
                Some(Value::Copy(w)) => {
                    self.copies += 1;
                    self.program.read(w)
                }
                _ => Expr::Load(lv),
            },
            Expr::Unary(op, operand, ty) => {
                let operand = if op == UnOp::Not { self.null(*operand) } else { *operand };
                self.unary(op, operand, ty)
            }
            Expr::Binary(op, l, r, ty) => {
                let takes_null = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::And | BinOp::Or);
                let (l, r) = if takes_null { (self.null(*l), self.null(*r)) } else { (*l, *r) };
                self.binary(op, l, r, ty)
            }
            Expr::Cast(inner, ty) if is_int(&inner) && ty.as_int().is_some() => inner.cast(ty),
            other => other,
        }
    }

    /// NULL for the read of a variable that is known to hold it.
    fn null(&mut self, e: Expr) -> Expr {
        if let Expr::Load(lv) = &e
            && let Some(Value::Constant(0)) = lv.as_var().and_then(|v| self.known(v))
            && lv.ty.is_ptr()
        {
            self.constants += 1;
            return Expr::Const(0, lv.ty.clone());
        }
        e
    }

    fn unary(&self, op: UnOp, operand: Expr, ty: Type) -> Expr {
        let folded = match (op, &operand) {
            (UnOp::Not, _) => truth(&operand).map(|b| Expr::truth(!b)),
            _ => interp::fold_unary(op, &operand, &ty, self.program.signed_wrap),
        };
        folded.unwrap_or_else(|| Expr::Unary(op, Box::new(operand), ty))
    }

    /// Operations on constants that C defines are done; logical ones stop at the left operand as evaluation does.
    fn binary(&self, op: BinOp, l: Expr, r: Expr, ty: Type) -> Expr {
        let folded = match (op, &l, &r) {
            (BinOp::And | BinOp::Or, ..) => match (truth(&l), truth(&r)) {
                (Some(left), _) if left == (op == BinOp::Or) => Some(Expr::truth(left)),
                (Some(_), Some(right)) => Some(Expr::truth(right)),
                _ => None,
            },
            (BinOp::Eq | BinOp::Ne, Expr::Const(0, Type::Ptr(_)), Expr::Const(0, Type::Ptr(_))) => {
                Some(Expr::truth(op == BinOp::Eq))
            }
            _ => interp::fold_binary(op, &l, &r, &ty, self.program.signed_wrap),
        };
        folded.unwrap_or_else(|| Expr::Binary(op, Box::new(l), Box::new(r), ty))
    }
}

fn is_int(e: &Expr) -> bool {
    matches!(e, Expr::Const(_, Type::Int(_)))
}

/// Whether the constant is not zero.
pub(super) fn truth(e: &Expr) -> Option<bool> {
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v != 0),
        Expr::Const(0, Type::Ptr(_)) => Some(false),
        _ => None,
    }
}
