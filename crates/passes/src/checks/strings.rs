//! Objects that end with a NUL for all of their lives, so that every string in them has an end: string
//! literals, and the strings that `main` gets, unless the program writes something other than zeros to them.
//!
//! Invariant: the last byte of each of these objects is 0 whenever the program itself can read it. So a byte
//! that the program reads there and that is not 0 is not the last one.

use super::{Context, extents};
use alias::{AliasOracle, Object};
use ir::convert::difference_type;
use ir::edit::Step;
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{Callee, CheckKind, EdgeId, Op, ProcId, Program, VarId};
use ir::types::Type;
use std::collections::BTreeSet;

/// The objects.
pub(crate) struct Texts {
    objects: BTreeSet<Object>,
}

impl Texts {
    /// `strings` are the procedures whose allocations hold nothing but a string up to their last byte when they return.
    pub(crate) fn new(program: &Program, oracle: &AliasOracle, strings: &BTreeSet<ProcId>) -> Texts {
        let is_string = |v: VarId| program.vars[v].data.as_ref().is_some_and(|data| data.last() == Some(&0));
        let literals = program.vars.ids().filter(|v| is_string(*v)).map(Object::Var);
        let made =
            program.edges().filter(|(p, _, edge)| strings.contains(p) && matches!(edge.op, Op::Alloc { .. }));
        let made = made.map(|(p, e, _)| Object::Heap(p, e));
        let mut this = Texts { objects: literals.chain(made).collect() };
        for (p, e, edge) in program.edges() {
            if !strings.contains(&p) {
                this.drop_written(program, oracle, (p, e), &edge.op);
            }
        }
        this
    }

    /// Drops what the operation may write something else than zeros to.
    fn drop_written(&mut self, program: &Program, oracle: &AliasOracle, (p, e): (ProcId, EdgeId), op: &Op) {
        match op {
            Op::Skip
            | Op::Assume(_)
            | Op::Check(..)
            | Op::Output { .. }
            // Nothing can be read there any more.
            | Op::Free(_) => {}
            // Zeros inside of a string leave its last byte a zero, whatever their size.
            Op::Assign(_, Expr::Const(0, _)) | Op::MemSet { byte: Expr::Const(0, _), .. } => {}
            Op::Assign(lv, _) | Op::Havoc(lv, _) | Op::Alloc { dest: lv, .. } | Op::Inspect { dest: lv, .. } => {
                self.drop_place(oracle, lv);
            }
            Op::MemSet { ptr, .. } => self.drop_targets(oracle, ptr),
            Op::MemCopy { dst, .. } => self.drop_targets(oracle, dst),
            Op::Call { dest, callee, .. } => {
                dest.iter().for_each(|lv| self.drop_place(oracle, lv));
                if calls_undefined(program, oracle, callee) {
                    let written = oracle.edge_mods(p, e);
                    self.objects.retain(|o| {
                        contents(program, o).is_some_and(|lv| !written.contains(oracle.cell(&lv)))
                    });
                }
            }
        }
    }

    /// The condition that a character is the NUL that ends a string, or not the last byte of its object: it holds wherever
    /// the character is read.
    pub(crate) fn not_last(&self, program: &Program, oracle: &AliasOracle, lv: &Lvalue) -> Option<Expr> {
        let Base::Deref(pointer) = &lv.base else { return None };
        if !lv.path.is_empty() || !is_character(&lv.ty) || !self.hold(oracle, pointer) {
            return None;
        }
        let more = extents::leaves_bytes(program, pointer, 2)?;
        let end = Expr::binary(BinOp::Eq, lv.clone().load(), Expr::Const(0, lv.ty.clone()));
        Some(end.or(more))
    }

    fn drop_place(&mut self, oracle: &AliasOracle, lv: &Lvalue) {
        match &lv.base {
            Base::Var(v) => _ = self.objects.remove(&Object::Var(*v)),
            Base::Deref(pointer) => self.drop_targets(oracle, pointer),
        }
    }

    fn drop_targets(&mut self, oracle: &AliasOracle, pointer: &Expr) {
        let targets = oracle.points_to(pointer);
        if targets.unknown {
            self.objects.clear();
        }
        targets.objects.iter().for_each(|o| _ = self.objects.remove(o));
    }

    /// Whether the pointer can only point into such objects, if it points into an object at all.
    pub(crate) fn hold(&self, oracle: &AliasOracle, pointer: &Expr) -> bool {
        let targets = oracle.points_to(pointer);
        !targets.unknown
            && !targets.objects.is_empty()
            && targets.objects.iter().all(|o| self.objects.contains(o))
    }
}

/// Facts about the sizes behind formals that point into such objects. These live as long as the program runs,
/// so that querying sizes ends no execution.
pub(crate) fn at_entry(cx: &Context<'_>, p: ProcId) -> Vec<Step> {
    if !cx.wants(CheckKind::Bounds) || cx.covered.contains(&p) {
        return vec![];
    }
    let formals = cx.program.procs[p].formals.iter().map(|v| cx.program.read(*v));
    formals.filter_map(|formal| formal_told(cx, formal)).map(|fact| Step::Op(Op::Assume(fact))).collect()
}

/// `p == NULL || …`, or without NULL where the shape excludes it: the object has as many bytes from there on as
/// the shape has, and the pointer is not before an object or the rest is not larger than objects are.
fn formal_told(cx: &Context<'_>, formal: Expr) -> Option<Expr> {
    let is_text = formal.ty().pointee().is_some_and(is_character);
    let shape = cx.shapes.of(cx.program, cx.oracle, &formal);
    if !is_text || !shape.made || shape.garbage || !cx.texts.hold(cx.oracle, &formal) {
        return None;
    }
    let wide = ir::extent::extent_type();
    let compare = |op, what: UnOp, n: i128| {
        let asked = Expr::Unary(what, Box::new(formal.clone()), wide.clone());
        Expr::binary(op, asked, Expr::Const(n, wide.clone()))
    };
    let (left, before) = (UnOp::Left(1), UnOp::Before(1));
    let small = compare(BinOp::Le, left, longest(cx.program));
    let there = i128::from(shape.bytes).min(longest(cx.program));
    let known = match there {
        0 => compare(BinOp::Lt, before, 0).or(small),
        _ => compare(BinOp::Ge, before, 0).and(compare(BinOp::Ge, left, there)).and(small),
    };
    let null = Expr::binary(BinOp::Eq, formal.clone(), Expr::Const(0, formal.ty()));
    Some(if shape.present { null.negated().and(known) } else { null.or(known) })
}

/// The most bytes of one of these objects: those made by the model of `main`'s arguments are no longer.
fn longest(program: &Program) -> i128 {
    difference_type(program.model).as_int().map_or(0, |int| int.max() >> 3)
}

fn is_character(ty: &Type) -> bool {
    matches!(ty, Type::Int(int) if int.bits == 8)
}

fn calls_undefined(program: &Program, oracle: &AliasOracle, callee: &Callee) -> bool {
    let (targets, unknown) = oracle.called(callee);
    unknown || targets.iter().any(|q| !program.procs[*q].has_body)
}

/// The characters of the object, as one that the oracle knows.
fn contents(program: &Program, o: &Object) -> Option<Lvalue> {
    match o {
        Object::Var(v) => {
            let whole = program.lvalue(*v);
            let Type::Array(element, _) = &whole.ty else { return None };
            let element = (**element).clone();
            Some(whole.step(ir::expr::Access::Index(Expr::int(0)), element))
        }
        Object::Heap(p, e) => match &program.procs[*p].edges[*e].op {
            Op::Alloc { dest, .. } => Some(Lvalue::deref(dest.clone().load())),
            _ => None,
        },
        Object::Func(_) | Object::External => None,
    }
}
