//! What is written of the locals whose address goes elsewhere, by name and through pointers that can only be their start.
//!
//! A member, or the whole of a scalar, has a ghost number that is 1 once it is written. An array, or one that is a member,
//! has a number so that so many elements from the first on are written: it grows where the program writes the element
//! behind them. So what callees and loops fill needs no question to the object.
//!
//! Invariant: what the numbers say is written. They never say more than what is.

use super::graph::{Step, free_name};
use super::initialised::Initialised;
use super::shapes::Shapes;
use super::{access, places};
use crate::analysis::{AliasOracle, Object};
use crate::convert::difference_type;
use crate::expr::{Access, Base, BinOp, Expr, Lvalue};
use crate::program::{HavocKind, Op, ProcId, Program, Var, VarId, VarKind};
use crate::types::Type;
use std::collections::BTreeMap;

/// The ghost numbers, by variable and path to the scalar or array.
pub(super) struct Filled {
    marks: BTreeMap<(VarId, Vec<Access>), Mark>,
}

struct Mark {
    /// The ghost.
    number: Lvalue,
    /// The procedure whose variable it is.
    owner: ProcId,
    /// How many elements the array has; `None` for a scalar.
    elements: Option<u64>,
    /// The size of the scalar, or of an element, in bytes.
    bytes: u64,
}

/// Most ghosts for one variable.
const MOST: usize = 16;

/// What there is to know of pointers.
#[derive(Clone, Copy)]
pub(super) struct Pointers<'a> {
    pub(super) program: &'a Program,
    pub(super) oracle: &'a AliasOracle,
    pub(super) shapes: &'a Shapes<'a>,
}

impl Filled {
    /// Adds the ghosts to `out`, if reads of memory that nothing has written are looked for.
    pub(super) fn new(
        out: &mut Program,
        pointers: Pointers<'_>,
        initialised: &Initialised,
        wanted: bool,
    ) -> Filled {
        let Pointers { program, oracle, .. } = pointers;
        let mut marks = BTreeMap::new();
        if !wanted {
            return Filled { marks };
        }
        for (v, var) in program.vars.iter_enumerated() {
            let VarKind::Local(owner) = var.kind else { continue };
            let wanted = initialised.is_open(program, v)
                && !oracle.is_recursive(owner)
                && !is_copied(program, oracle, v);
            let mut found = vec![];
            if !wanted || collect(program, program.lvalue(v), &mut found).is_none() {
                continue;
            }
            for (lv, elements, bytes) in found {
                let taken = out.vars.iter().map(|v| v.name.as_str()).collect();
                let name = free_name(&format!("{}__filled", var.name), &taken);
                let ty = difference_type(program.model);
                let (kind, span) = (VarKind::Global, var.span);
                let ghost = out.vars.push(Var { name, ty: ty.clone(), kind, span, data: None });
                out.globals.push(ghost);
                let number = Lvalue::var(ghost, ty);
                marks.insert((v, lv.path), Mark { number, owner, elements, bytes });
            }
        }
        Filled { marks }
    }

    /// Nothing is written when the procedure starts.
    pub(super) fn at_entry(&self, p: ProcId) -> Vec<Step> {
        self.marks.values().filter(|mark| mark.owner == p).map(|mark| mark.is(0)).collect()
    }

    /// What an operation does to the numbers, in front of it: indices are those that it writes at.
    pub(super) fn before(&self, pointers: Pointers<'_>, op: &Op) -> Vec<Step> {
        if matches!(op, Op::Havoc(_, HavocKind::Uninit) | Op::Call { .. }) {
            return vec![];
        }
        let written = op.destination().and_then(|lv| self.part(pointers, lv));
        let Some((mark, index)) = written else { return vec![] };
        let Some(index) = index else { return vec![mark.is(1)] };
        let is_next = Expr::binary(BinOp::Eq, index, mark.number.clone().load());
        let one = Expr::Const(1, mark.number.ty.clone());
        let more = Expr::binary(BinOp::Add, mark.number.clone().load(), one);
        vec![Step::When(is_next, Op::Assign(mark.number.clone(), more))]
    }

    /// What an operation on the whole variable does to its numbers.
    pub(super) fn after(&self, pointers: Pointers<'_>, op: &Op) -> Vec<Step> {
        let program = pointers.program;
        let (at, len) = match op {
            Op::Call { dest: Some(lv), .. } => {
                let written = self.part(pointers, lv).filter(|(_, index)| index.is_none());
                return written.map(|(mark, _)| mark.is(1)).into_iter().collect();
            }
            Op::MemSet { ptr, len, .. } => (ptr, len.as_const()),
            // What is copied may itself not be written.
            Op::MemCopy { dst, .. } => (dst, None),
            Op::Free(ptr) if op.ends().is_some() => (ptr, None),
            Op::Havoc(lv, HavocKind::Uninit) => {
                let Base::Var(v) = lv.base else { return vec![] };
                return self.of(v).map(|mark| mark.is(0)).collect();
            }
            _ => return vec![],
        };
        let Some((v, is_start)) = variable(program, at) else { return vec![] };
        let whole = program.size_of(&program.vars[v].ty).map(i128::from);
        match (op, len) {
            (Op::MemSet { .. }, len) if is_start && len.is_some() && whole <= len => {
                self.of(v).map(|mark| mark.is(mark.elements.unwrap_or(1))).collect()
            }
            (Op::MemSet { .. }, _) => vec![],
            _ => self.of(v).map(|mark| mark.is(0)).collect(),
        }
    }

    /// The numbers of a variable.
    fn of(&self, v: VarId) -> impl Iterator<Item = &Mark> {
        self.marks.range((v, vec![])..).take_while(move |((w, _), _)| *w == v).map(|(_, mark)| mark)
    }

    /// The condition that the location is among those that are written; `None` when nothing is known of it.
    pub(super) fn includes(&self, pointers: Pointers<'_>, lv: &Lvalue) -> Option<Expr> {
        let (mark, index) = self.part(pointers, lv)?;
        let number = || mark.number.clone().load();
        let zero = Expr::Const(0, mark.number.ty.clone());
        let Some(index) = index else { return Some(Expr::binary(BinOp::Ne, number(), zero)) };
        let from_start = Expr::binary(BinOp::Ge, index.clone(), zero);
        Some(from_start.and(Expr::binary(BinOp::Lt, index, number())))
    }

    /// The condition that the whole variable, an array or a scalar, is written.
    pub(super) fn whole(&self, v: VarId) -> Option<Expr> {
        let mark = self.marks.get(&(v, vec![]))?;
        let all = Expr::Const(mark.elements.unwrap_or(1).into(), mark.number.ty.clone());
        Some(Expr::binary(BinOp::Ge, mark.number.clone().load(), all))
    }

    /// The number that tells of the location, and for an element of an array its index.
    fn part(&self, pointers: Pointers<'_>, lv: &Lvalue) -> Option<(&Mark, Option<Expr>)> {
        let Pointers { program, .. } = pointers;
        let zero = || Expr::Const(0, difference_type(program.model));
        let (v, mut path, index) = match (&lv.base, lv.path.as_slice()) {
            (Base::Var(v), [path @ .., Access::Index(i)]) => (*v, path, Some(i.clone())),
            (Base::Var(v), path) => (*v, path, None),
            (Base::Deref(p), path) => match (&**p, path) {
                (Expr::Binary(BinOp::PtrAdd, start, i, _), []) => {
                    (pointers.start_of(start)?, &[][..], Some((**i).clone()))
                }
                (start, [path @ .., Access::Index(i)]) => (pointers.start_of(start)?, path, Some(i.clone())),
                (start, path) => (pointers.start_of(start)?, path, None),
            },
        };
        let mut index = index;
        // The first element of an array by a pointer to it.
        if index.is_none() && path.is_empty() && matches!(program.vars[v].ty, Type::Array(..)) {
            (path, index) = (&[][..], Some(zero()));
        }
        let mark = self.marks.get(&(v, path.to_vec()))?;
        let fits = program.size_of(&lv.ty) == Some(mark.bytes)
            && mark.elements.is_some() == index.is_some()
            && index.as_ref().is_none_or(|i| i.ty().as_int().is_some());
        fits.then(|| (mark, index.map(|i| i.cast(mark.number.ty.clone()))))
    }
}

impl Pointers<'_> {
    /// The variable of which the pointer can only be the start: all of its bytes are behind it.
    fn start_of(self, pointer: &Expr) -> Option<VarId> {
        let Pointers { program, oracle, shapes } = self;
        let targets = oracle.points_to(pointer);
        let [Object::Var(v)] = targets.objects[..] else { return None };
        let whole = program.size_of(&program.vars[v].ty)?;
        let is_start = !targets.unknown && shapes.of(program, oracle, pointer).bytes == whole;
        is_start.then_some(v)
    }
}

/// The scalars and the arrays of scalars in a location, with the numbers of elements, and their sizes; `None` when they
/// are too many, or share bytes.
fn collect(program: &Program, lv: Lvalue, out: &mut Vec<(Lvalue, Option<u64>, u64)>) -> Option<()> {
    match lv.ty.clone() {
        Type::Record(r) if program.records[r].is_union => return None,
        Type::Record(r) => {
            for member in program.members(&lv, r).collect::<Vec<_>>() {
                if let Some(Access::Field(r, f)) = member.path.last()
                    && program.field(*r, *f).bit_offset.is_some()
                {
                    return None;
                }
                collect(program, member, out)?;
            }
        }
        Type::Array(element, Some(elements)) if element.is_scalar() && elements > 1 => {
            let bytes = program.size_of(&element)?;
            out.push((lv, Some(elements), bytes));
        }
        // Elements that are aggregates stay with the questions.
        Type::Array(..) => {}
        ty if ty.is_scalar() => {
            let bytes = program.size_of(&ty)?;
            out.push((lv, None, bytes));
        }
        _ => return None,
    }
    (out.len() <= MOST).then_some(())
}

impl Mark {
    fn is(&self, elements: u64) -> Step {
        let value = Expr::Const(i128::from(elements), self.number.ty.clone());
        Step::Op(Op::Assign(self.number.clone(), value))
    }
}

/// Whether memory is copied into the variable otherwise than by its name.
fn is_copied(program: &Program, oracle: &AliasOracle, v: VarId) -> bool {
    program.edges().any(|(_, _, edge)| {
        let Op::MemCopy { dst, .. } = &edge.op else { return false };
        let targets = oracle.points_to(dst);
        let reaches = targets.objects.contains(&Object::Var(v)) || targets.unknown && oracle.address_taken(v);
        reaches && variable(program, dst).is_none_or(|(named, _)| named != v)
    })
}

/// The variable that the pointer is made from, and whether it is its start.
fn variable(program: &Program, pointer: &Expr) -> Option<(VarId, bool)> {
    let Expr::AddrOf(lv) = access::root(pointer) else { return None };
    let Base::Var(v) = lv.base else { return None };
    let unmoved = !pointer.has(|e| matches!(e, Expr::Binary(BinOp::PtrAdd, ..)));
    Some((v, unmoved && places::offset(program, lv) == Some(0)))
}
