//! Calls through pointers become branches over the procedures that the pointer can hold
//! (docs/guide/assumptions.md, 8), each a direct call behind an `assume` on the pointer's value.
//!
//! A target whose type does not fit the call is called all the same: arguments that it has no parameter for are
//! dropped, parameters that got no argument of their type are arbitrary, and so is a result of another type. That
//! covers whatever a machine does.

use super::oracle::AliasOracle;
use crate::expr::{BinOp, Expr, Lvalue};
use crate::program::{
    Callee, Edge, EdgeId, EdgeKind, HavocKind, LocId, Location, Op, ProcId, Program, Var, VarId, VarKind,
};
use crate::types::Type;
use base::Span;

/// A call whose targets are not all known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownCallee {
    /// The calling procedure.
    pub proc: ProcId,
    /// The call.
    pub edge: EdgeId,
    /// Where it is in the source.
    pub span: Span,
    /// The function pointer, as C.
    pub pointer: String,
}

impl UnknownCallee {
    /// What to tell the user.
    pub fn message(&self) -> String {
        format!("the functions that `{}` can point to are not all known", self.pointer)
    }
}

/// The program with direct calls only. Ids of procedures, variables, locations and edges keep their meaning: the
/// call's own edge becomes the test for the first target (or `assume(0)`, when the pointer points to no procedure, so
/// that calling it is undefined); new locations and edges are added behind the old.
///
/// # Errors
/// The first call in a procedure that can be reached whose pointer may hold an unknown address.
pub fn resolve_indirect(program: &Program, oracle: &AliasOracle) -> Result<Program, UnknownCallee> {
    let reachable = super::reachable(program, oracle);
    let mut out = program.clone();
    for p in program.procs.ids() {
        for (e, edge) in program.procs[p].edges.iter_enumerated() {
            let Op::Call { dest, callee: Callee::Indirect(pointer), args } = &edge.op else { continue };
            let (targets, unknown) = oracle.callees(pointer);
            if unknown && reachable[p] {
                let pointer = crate::print::expr(program, pointer);
                return Err(UnknownCallee { proc: p, edge: e, span: edge.span, pointer });
            }
            let targets = if reachable[p] { targets } else { vec![] };
            let call = IndirectCall { p, e, edge, dest: dest.as_ref(), pointer, args };
            call.branch(&mut out, &targets);
        }
    }
    Ok(out)
}

struct IndirectCall<'a> {
    p: ProcId,
    e: EdgeId,
    edge: &'a Edge,
    dest: Option<&'a Lvalue>,
    pointer: &'a Expr,
    args: &'a [Expr],
}

impl IndirectCall<'_> {
    fn branch(&self, out: &mut Program, targets: &[ProcId]) {
        if targets.is_empty() {
            out.procs[self.p].edges[self.e].op = Op::Assume(Expr::int(0));
            return;
        }
        for (i, target) in targets.iter().enumerate() {
            let address = Expr::Func(*target, Type::Func(out.procs[*target].ty.clone()).ptr_to());
            let test = Op::Assume(Expr::binary(BinOp::Eq, self.pointer.clone(), address));
            let start = self.location(out);
            let (span, src) = (self.edge.span, self.edge.src);
            let first = Edge { src, dst: start, op: test, span, kind: EdgeKind::Internal };
            if i == 0 {
                out.procs[self.p].edges[self.e] = first;
            } else {
                out.procs[self.p].edges.push(first);
            }
            self.call(out, *target, start);
        }
    }

    fn location(&self, out: &mut Program) -> LocId {
        let location = Location { span: self.edge.span, labels: vec![], loop_head: false };
        out.procs[self.p].locations.push(location)
    }

    /// The direct call from the location to where the indirect call went on.
    fn call(&self, out: &mut Program, target: ProcId, mut at: LocId) {
        let ty = out.procs[target].ty.clone();
        let mut args = vec![];
        for (i, formal) in ty.params.iter().enumerate() {
            let arg = self.args.get(i).and_then(|arg| passed(arg, formal)).unwrap_or_else(|| {
                let lost = self.arbitrary(out, formal);
                let havoc = Op::Havoc(out.lvalue(lost), unmodelled("an argument of another type"));
                at = self.internal(out, at, havoc);
                out.read(lost)
            });
            args.push(arg);
        }
        if ty.variadic {
            args.extend(self.args.iter().skip(ty.params.len()).cloned());
        }
        let fits = self.dest.is_some_and(|lv| lv.ty == ty.ret);
        let dest = if fits { self.dest.cloned() } else { None };
        let call = Op::Call { dest, callee: Callee::Direct(target), args };
        let (span, kind, end) = (self.edge.span, self.edge.kind, self.edge.dst);
        match self.dest {
            Some(lv) if !fits => {
                let returned = self.location(out);
                out.procs[self.p].edges.push(Edge { src: at, dst: returned, op: call, span, kind });
                let op = Op::Havoc(lv.clone(), unmodelled("a result of another type"));
                let kind = EdgeKind::Internal;
                out.procs[self.p].edges.push(Edge { src: returned, dst: end, op, span, kind });
            }
            _ => {
                out.procs[self.p].edges.push(Edge { src: at, dst: end, op: call, span, kind });
            }
        }
    }

    fn internal(&self, out: &mut Program, src: LocId, op: Op) -> LocId {
        let dst = self.location(out);
        let edge = Edge { src, dst, op, span: self.edge.span, kind: EdgeKind::Internal };
        out.procs[self.p].edges.push(edge);
        dst
    }

    /// A new temporary.
    fn arbitrary(&self, out: &mut Program, ty: &Type) -> VarId {
        let name = format!("lost__{}", out.vars.len());
        let v = out.vars.push(Var {
            name,
            ty: ty.clone(),
            kind: VarKind::Temp(self.p),
            span: self.edge.span,
            data: None,
            align: 1,
        });
        out.procs[self.p].locals.push(v);
        v
    }
}

fn unmodelled(what: &str) -> HavocKind {
    HavocKind::Unmodelled(what.into())
}

/// The argument as the parameter gets it; `None` when its bytes mean something else there.
fn passed(arg: &Expr, formal: &Type) -> Option<Expr> {
    let have = arg.ty();
    let same = match (&have, formal) {
        (Type::Int(a), Type::Int(b)) => a.bits == b.bits,
        (a, b) => a == b || a.is_ptr() && b.is_ptr(),
    };
    same.then(|| arg.clone().cast(formal.clone()))
}
