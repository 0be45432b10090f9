//! Programs that change the rounding mode: results are computed in the mode that is set at that time.
//!
//! In front of each operation stand the cases of the mode, which the program keeps in a variable; each case
//! computes the rounded results into temporaries. So each operator has one meaning, and programs that never
//! change the mode pay nothing. The bodies of the library's models do not depend on the mode: they compute
//! exactly, or round to nearest by their own choice.

use base::Span;
use ieee::{Arithmetic, Rounding};
use ir::edit::{Graph, Step};
use ir::expr::{BinOp, Expr, FloatOp, Lvalue, UnOp};
use ir::program::{Op, Origin, ProcId, Program, VarId};
use ir::types::{FloatType, Type};

/// The numbers of the modes, as `<fenv.h>` has them on this machine, but for that to nearest, which stands for all others.
const MODES: [(i128, Rounding); 3] =
    [(0x400, Rounding::Down), (0x800, Rounding::Up), (0xc00, Rounding::Zero)];

/// The program in which floating-point operations are rounded according to the variable `mode`, an `int` with
/// the numbers of `<fenv.h>`, and to nearest with any other value.
#[must_use]
pub fn in_mode(mut program: Program, mode: VarId) -> Program {
    let mode = program.lvalue(mode).load();
    let procs: Vec<ProcId> =
        program.procs.ids().filter(|p| program.procs[*p].origin != Origin::Library).collect();
    for p in procs {
        for loc in program.procs[p].locations.ids().collect::<Vec<_>>() {
            at_location(&mut program, p, loc, &mode);
        }
    }
    program
}

/// The computation at a location: temporaries, and the expressions that they stand for, rounded to nearest.
struct Computed<'a> {
    graph: Graph<'a>,
    span: Span,
    parts: Vec<(Lvalue, Expr)>,
}

fn at_location(program: &mut Program, p: ProcId, loc: ir::LocId, mode: &Expr) {
    let leaving: Vec<_> =
        program.procs[p].edges.iter_enumerated().filter(|(_, e)| e.src == loc).map(|(id, _)| id).collect();
    let Some(first) = leaving.first() else { return };
    let span = program.procs[p].edges[*first].span;
    let mut found = Computed { graph: Graph::new(program, p), span, parts: vec![] };
    for e in leaving {
        let op = found.graph.program.procs[p].edges[e].op.clone();
        let op = op.map(&mut |e| found.named(e));
        found.graph.program.procs[p].edges[e].op = op;
    }
    let Computed { mut graph, parts, .. } = found;
    if parts.is_empty() {
        return;
    }
    let is = |n| Expr::binary(BinOp::Eq, mode.clone(), Expr::int(n));
    let assigned = |to: Option<Rounding>| -> Vec<Op> {
        let value = |e: &Expr| to.map_or(e.clone(), |to| toward(e.clone(), to));
        parts.iter().map(|(place, e)| Op::Assign(place.clone(), value(e))).collect()
    };
    let nearest = MODES.iter().map(|(n, _)| is(*n).negated()).reduce(Expr::and).expect("there are modes");
    let mut cases = vec![(nearest, assigned(None))];
    cases.extend(MODES.iter().map(|(n, to)| (is(*n), assigned(Some(*to)))));
    graph.split(loc, &[Step::Cases(cases)], span);
}

impl Computed<'_> {
    /// The temporary that stands for an expression whose value is rounded, else the expression.
    fn named(&mut self, e: Expr) -> Expr {
        if !is_rounded(&e) {
            return e;
        }
        if let Some((place, _)) = self.parts.iter().find(|(_, other)| *other == e) {
            return place.clone().load();
        }
        let ty = e.ty();
        let place = Lvalue::var(self.graph.temp("rounded__", ty.clone(), self.span), ty);
        self.parts.push((place.clone(), e));
        place.load()
    }
}

/// The bits of the significand, the first one included; `None` of types that are not rounded in software.
fn precision(ty: &Type) -> Option<u16> {
    match ty {
        Type::Float(FloatType { bits: 32 }) => Some(24),
        Type::Float(FloatType { bits: 64 }) => Some(53),
        _ => None,
    }
}

/// Whether the operation itself is rounded.
fn is_rounded(e: &Expr) -> bool {
    let Some(own) = precision(&e.ty()) else { return false };
    match e {
        Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, ..) => true,
        Expr::Unary(UnOp::Float(FloatOp::Sqrt | FloatOp::Rint), ..) => true,
        Expr::Cast(from, _) => match from.ty() {
            Type::Int(t) => t.bits - u16::from(t.signed) > own,
            ty => precision(&ty).is_some_and(|precision| precision > own),
        },
        _ => false,
    }
}

/// The operation with its result in the direction.
fn toward(e: Expr, to: Rounding) -> Expr {
    let arithmetic = |op| match op {
        BinOp::Add => Arithmetic::Add,
        BinOp::Sub => Arithmetic::Sub,
        BinOp::Mul => Arithmetic::Mul,
        _ => Arithmetic::Div,
    };
    match e {
        Expr::Binary(op, l, r, _) => Expr::binary(BinOp::Rounded(arithmetic(op), to), *l, *r),
        Expr::Unary(UnOp::Float(FloatOp::Sqrt), v, _) => FloatOp::RoundedSqrt(to).of(*v),
        Expr::Unary(UnOp::Float(FloatOp::Rint), v, _) => match to {
            Rounding::Up => FloatOp::Ceil.of(*v),
            Rounding::Down => FloatOp::Floor.of(*v),
            _ => FloatOp::Trunc.of(*v),
        },
        Expr::Cast(v, Type::Float(FloatType { bits: 32 })) => FloatOp::ToSingle(to).of(*v),
        Expr::Cast(v, _) => FloatOp::ToDouble(to).of(*v),
        other => other,
    }
}
