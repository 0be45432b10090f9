//! Numbers that a program uses as addresses: constants, and sums of anything and a constant that may be an
//! address. They stand for memory of the machine, such as device registers (docs/guide/assumptions.md, 3).
//! Other numbers that become pointers lead nowhere, unless they are addresses of objects.

use ir::addresses::LOWEST;
use ir::expr::{Base, BinOp, Expr};
use ir::program::{Callee, HavocKind, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The variables that hold nothing but such numbers, or pointers made of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fixed {
    vars: BTreeSet<VarId>,
}

/// A value assigned to a variable.
enum Given<'p> {
    Value(&'p Expr),
    ResultOf(ProcId),
}

impl Fixed {
    /// The variables of the program, those whose address is taken left out.
    pub fn of(program: &Program) -> Fixed {
        let (given, lost) = given(program);
        let mut this = Fixed { vars: given.keys().filter(|v| !lost.contains(v)).copied().collect() };
        loop {
            let holds = |v: &VarId| {
                given[v].iter().all(|given| match given {
                    Given::Value(e) => this.is_base(e) || program.vars[*v].ty.is_ptr() && e.is_zero(),
                    Given::ResultOf(p) => program.procs[*p].ret.is_some_and(|ret| this.vars.contains(&ret)),
                })
            };
            let rest: BTreeSet<VarId> = this.vars.iter().filter(|v| holds(v)).copied().collect();
            if rest.len() == this.vars.len() {
                return this;
            }
            this.vars = rest;
        }
    }

    /// Whether the value is such a number, or a pointer made of one.
    pub fn holds(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(v, _) => *v != 0,
            _ => self.is_base(e),
        }
    }

    /// Whether it is one that others may be added to.
    fn is_base(&self, e: &Expr) -> bool {
        let variable = |e: &Expr| !matches!(e.uncast(), Expr::Const(..)) && self.is_base(e);
        match e {
            Expr::Const(v, _) => *v < 0 || *v >= LOWEST,
            Expr::Load(lv) => lv.as_var().is_some_and(|v| self.vars.contains(&v)),
            Expr::Cast(e, _) => self.is_base(e),
            Expr::Cond(_, a, b) => self.is_base(a) && self.is_base(b),
            Expr::AddrOf(lv) => matches!(&lv.base, Base::Deref(p) if self.holds(p)),
            Expr::Binary(BinOp::PtrAdd, p, ..) => self.holds(p),
            Expr::Binary(BinOp::Add | BinOp::BitOr, a, b, _) => self.is_base(a) || self.is_base(b),
            Expr::Binary(BinOp::Sub, a, ..) => self.is_base(a),
            Expr::Binary(BinOp::BitAnd, a, b, _) => variable(a) || variable(b),
            Expr::Binary(..) | Expr::Unary(..) | Expr::Float(..) | Expr::Func(..) | Expr::Old(_) => false,
        }
    }
}

/// The values assigned to scalar variables, and the variables that get something else.
fn given(program: &Program) -> (BTreeMap<VarId, Vec<Given<'_>>>, BTreeSet<VarId>) {
    let (mut given, mut lost): (BTreeMap<VarId, Vec<Given<'_>>>, _) = (BTreeMap::new(), BTreeSet::new());
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |node| match node {
            Expr::AddrOf(lv) => {
                if let Base::Var(v) = lv.base {
                    lost.insert(v);
                }
            }
            Expr::Func(p, _) => lost.extend(program.procs[*p].formals.iter().copied()),
            _ => {}
        });
        match &edge.op {
            Op::Call { callee: Callee::Direct(p), args, dest } => {
                for (formal, arg) in program.procs[*p].formals.iter().zip(args) {
                    given.entry(*formal).or_default().push(Given::Value(arg));
                }
                if let Some(v) = dest.as_ref().and_then(|lv| lv.as_var()) {
                    given.entry(v).or_default().push(Given::ResultOf(*p));
                }
            }
            Op::Assign(lv, value) => {
                if let Some(v) = lv.as_var() {
                    given.entry(v).or_default().push(Given::Value(value));
                }
            }
            Op::Havoc(_, HavocKind::Uninit) => {}
            op => lost.extend(op.destination().and_then(|lv| lv.as_var())),
        }
    }
    let is_scalar = |v: &VarId| match &program.vars[*v].ty {
        Type::Int(t) => t.bits >= 16,
        ty => ty.is_ptr(),
    };
    // Formals of the entry, and of procedures that the outside calls, are inputs.
    let entered = |v: &VarId| matches!(program.vars[*v].kind, VarKind::Formal(p) if p == program.entry);
    given.retain(|v, _| is_scalar(v) && !entered(v));
    (given, lost)
}
