//! Calls through pointers become branches over the procedures that the pointer can hold
//! (docs/guide/assumptions.md, 8), each a direct call behind an `assume` on the pointer's value.
//!
//! A target whose type does not fit the call is called all the same: arguments that it has no parameter for are
//! dropped, parameters that got no argument of their type are arbitrary, and so is a result of another type. That
//! covers whatever a machine does.
//!
//! A pointer that may hold an address which the program does not name, such as a member filled by other files,
//! calls what [`UnknownCallees`] allows.

use crate::allocator_copies::taken;
use alias::oracle::AliasOracle;
use base::Span;
use ir::expr::{BinOp, Expr, Lvalue};
use ir::program::{
    Callee, Edge, EdgeId, EdgeKind, HavocKind, LocId, Location, Op, Proc, ProcId, Program, Var, VarId,
    VarKind,
};
use ir::types::Type;
use std::sync::Arc;

/// A call whose targets are not all known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownCallee {
    /// The calling procedure.
    pub proc: ProcId,
    /// The call.
    pub edge: EdgeId,
    /// Its place in the source.
    pub span: Span,
    /// The function pointer, as C.
    pub pointer: String,
}

impl UnknownCallee {
    /// The message for the user.
    pub fn message(&self) -> String {
        format!("the functions that `{}` can point to are not all known", self.pointer)
    }
}

/// The callees of a call through a pointer that may hold an address which the program does not name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownCallees {
    /// The program is refused.
    #[default]
    Refused,
    /// A procedure of the call's type whose address the program takes, or an undefined function, which returns anything and
    /// writes what its arguments and escaped objects reach.
    AnyWrites,
    /// The same, but undefined functions write nothing.
    AnyPure,
}

/// A program with direct calls only.
pub struct Resolved {
    /// The program.
    pub program: Program,
    /// The calls through pointers that may call undefined functions.
    pub unknown: Vec<UnknownCallee>,
}

/// The program with direct calls only. Ids of procedures, variables, locations and edges keep their meaning: the
/// call's own edge becomes the test for the first target (or `assume(0)`, when the pointer points to no procedure, so
/// that calling it is undefined); new locations and edges are added behind the old.
///
/// # Errors
/// The first call in a procedure that can be reached whose pointer may hold an unknown address.
pub fn resolve_indirect(program: &Program, oracle: &AliasOracle) -> Result<Program, UnknownCallee> {
    resolve_with(program, oracle, UnknownCallees::Refused).map(|resolved| resolved.program)
}

/// The same, where pointers with unknown addresses call what is assumed of them.
///
/// # Errors
/// The first call in a procedure that can be reached whose pointer may hold an unknown address, with [`UnknownCallees::Refused`], and
/// where functions that write something are assumed of a program that calls no undefined function by name.
pub fn resolve_with(
    program: &Program,
    oracle: &AliasOracle,
    assumed: UnknownCallees,
) -> Result<Resolved, UnknownCallee> {
    let reachable = alias::reachable(program, oracle);
    let (mut out, mut found) = (program.clone(), vec![]);
    let mut addressed = None;
    let is_refused = match assumed {
        UnknownCallees::Refused => true,
        // They would not get the objects of other files, which the program gives to the functions that it calls by name.
        UnknownCallees::AnyWrites => program.procs.iter().all(|p| p.has_body),
        UnknownCallees::AnyPure => false,
    };
    for p in program.procs.ids() {
        for (e, edge) in program.procs[p].edges.iter_enumerated() {
            let Op::Call { dest, callee: Callee::Indirect(pointer), args } = &edge.op else { continue };
            let call = IndirectCall { program, p, e, edge, dest: dest.as_ref(), pointer, args };
            let (mut targets, unknown) = oracle.callees(pointer);
            let mut outside = None;
            if !reachable[p] {
                targets.clear();
            } else if unknown {
                let text = ir::print::expr(program, pointer);
                let callee = UnknownCallee { proc: p, edge: e, span: edge.span, pointer: text };
                if is_refused {
                    return Err(callee);
                }
                found.push(callee);
                let known = addressed.get_or_insert_with(|| taken(program));
                targets.extend(known.iter().filter(|q| call.fits(&program.procs[**q])));
                targets.sort_unstable();
                targets.dedup();
                outside = Some(assumed == UnknownCallees::AnyWrites);
            }
            call.branch(&mut out, &targets, outside);
        }
    }
    Ok(Resolved { program: out, unknown: found })
}

/// The name of the function that stands for undefined ones that pointers hold.
const UNKNOWN: &str = "unknown_function";

struct IndirectCall<'a> {
    program: &'a Program,
    p: ProcId,
    e: EdgeId,
    edge: &'a Edge,
    dest: Option<&'a Lvalue>,
    pointer: &'a Expr,
    args: &'a [Expr],
}

impl IndirectCall<'_> {
    /// Puts branches to these targets in the place of the call, and to an undefined function, which writes something or not.
    fn branch(&self, out: &mut Program, targets: &[ProcId], outside: Option<bool>) {
        if targets.is_empty() && outside.is_none() {
            out.procs[self.p].edges[self.e].op = Op::Assume(Expr::int(0));
            return;
        }
        let address = |out: &Program, q: ProcId| Expr::Func(q, Type::Func(out.procs[q].ty.clone()).ptr_to());
        let compare = |op, address| Expr::binary(op, self.pointer.clone(), address);
        for (i, target) in targets.iter().enumerate() {
            let test = compare(BinOp::Eq, address(out, *target));
            let start = self.begin(out, i == 0, test);
            self.call(out, *target, start);
        }
        if let Some(writes) = outside {
            let null = Expr::Const(0, self.pointer.ty());
            let others = targets.iter().map(|q| compare(BinOp::Ne, address(out, *q)));
            let test = others.fold(compare(BinOp::Ne, null), Expr::and);
            let start = self.begin(out, targets.is_empty(), test);
            self.call_outside(out, writes, start);
        }
    }

    /// Adds a branch with this condition, the first in the place of the call; where it leads.
    fn begin(&self, out: &mut Program, is_first: bool, test: Expr) -> LocId {
        let start = self.location(out);
        let (span, src) = (self.edge.span, self.edge.src);
        let first = Edge { src, dst: start, op: Op::Assume(test), span, kind: EdgeKind::Internal };
        if is_first {
            out.procs[self.p].edges[self.e] = first;
        } else {
            out.procs[self.p].edges.push(first);
        }
        start
    }

    /// Whether C lets the call run the procedure; one without body is an undefined function like others.
    fn fits(&self, proc: &Proc) -> bool {
        let ty = &proc.ty;
        let counts =
            if ty.variadic { ty.params.len() <= self.args.len() } else { ty.params.len() == self.args.len() };
        let same_result = self.dest.is_none_or(|lv| lv.ty == ty.ret);
        proc.has_body
            && counts
            && same_result
            && ty.params.iter().zip(self.args).all(|(formal, arg)| passed(arg, formal).is_some())
    }

    /// The call of an undefined function from the location to where the indirect call went on.
    fn call_outside(&self, out: &mut Program, writes: bool, at: LocId) {
        let (span, kind, end) = (self.edge.span, self.edge.kind, self.edge.dst);
        let op = if writes {
            let callee = Callee::Direct(self.undefined(out));
            Op::Call { dest: self.dest.cloned(), callee, args: self.args.to_vec() }
        } else {
            match self.dest {
                Some(lv) => Op::Havoc(lv.clone(), HavocKind::Extern(UNKNOWN.into())),
                None => Op::Skip,
            }
        };
        out.procs[self.p].edges.push(Edge { src: at, dst: end, op, span, kind });
    }

    /// The undefined function of the call's type that stands for all of them.
    fn undefined(&self, out: &mut Program) -> ProcId {
        let ty = match self.pointer.ty().pointee() {
            Some(Type::Func(ty)) => ty.clone(),
            _ => unreachable!("what is called is a function"),
        };
        // Procedures behind the program's own stand for such functions.
        let added = out.procs.iter_enumerated().skip(self.program.procs.len());
        let known = added.filter(|(_, p)| p.ty == ty).map(|(q, _)| q).next();
        if let Some(q) = known {
            return q;
        }
        let name = format!("{UNKNOWN}__{}", out.procs.len());
        out.procs.push(Proc::new(name, Arc::clone(&ty), false, self.edge.span))
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
            align: 0,
            constant: None,
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
