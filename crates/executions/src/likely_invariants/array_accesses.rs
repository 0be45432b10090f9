//! Arrays of integers that a procedure walks: what it reads or writes at an index that is computed, and what it hands on.

use ir::visit;
use ir::{Access, Base, BinOp, Expr, Lvalue, Op, Proc, Program, RecordId, Type};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use zones::{is_named, plain};

/// Most arrays of one procedure.
const MOST: usize = 4;

/// At most this many elements of an array are recorded.
pub(super) const ELEMENTS: u64 = 40;

/// An array, as an element of it at any index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Array {
    /// The element at index 0.
    first: Lvalue,
    /// Which step of the path is the index; none where the pointer is moved.
    step: Option<usize>,
    /// The number of elements, where the array's type says it.
    pub(super) length: Option<u64>,
}

impl Array {
    /// The element at an index.
    pub(super) fn element(&self, index: Expr) -> Expr {
        let mut lv = self.first.clone();
        match (self.step, &mut lv.base) {
            (Some(n), _) => lv.path[n] = Access::Index(index),
            (None, Base::Deref(pointer)) => {
                **pointer = Expr::binary(BinOp::PtrAdd, (**pointer).clone(), index);
            }
            (None, Base::Var(_)) => {}
        }
        lv.load()
    }

    /// The type of the elements.
    pub(super) fn ty(&self) -> &Type {
        &self.first.ty
    }

    /// How many elements are recorded.
    pub(super) fn looked_at(&self) -> u64 {
        self.length.unwrap_or(ELEMENTS).min(ELEMENTS)
    }
}

/// What a procedure walks, and by what.
#[derive(Clone, Default)]
pub(super) struct Walked {
    /// The arrays, those first that occur most.
    pub(super) arrays: Vec<Array>,
    /// The places that are part of an index, those that are compared with one, or from which it begins, and the integers
    /// beside an array in a record.
    pub(super) indices: BTreeSet<Expr>,
}

impl Walked {
    pub(super) fn of(program: &Program, proc: &Proc) -> Walked {
        let arrays = arrays(program, proc);
        let mut indices = indices(proc);
        indices.extend(arrays.iter().flat_map(|array| siblings(program, array)));
        Walked { arrays, indices }
    }
}

/// The integers beside an array in a record.
fn siblings(program: &Program, array: &Array) -> Vec<Expr> {
    let Some(step) = array.step.filter(|step| *step > 0) else { return vec![] };
    let mut record = array.first.clone();
    record.path.truncate(step);
    let Some(Access::Field(r, _)) = record.path.pop() else { return vec![] };
    let member = |f: usize| {
        let ty = program.field(r, f as u32).ty.clone();
        is_integer(&ty).then(|| record.clone().step(Access::Field(r, f as u32), ty).load())
    };
    (0..program.records[r].fields.len()).filter_map(member).collect()
}

/// The places that are part of an index, and those that are compared with them or assigned to them.
fn indices(proc: &Proc) -> BTreeSet<Expr> {
    let mut out = BTreeSet::new();
    let mut tell = |lv: &Lvalue| {
        for access in &lv.path {
            if let Access::Index(index) = access {
                named(index, &mut out);
            }
        }
        if let Base::Deref(pointer) = &lv.base
            && let Expr::Binary(BinOp::PtrAdd, _, index, _) = &**pointer
        {
            named(index, &mut out);
        }
    };
    for edge in &proc.edges {
        visit::loads(&edge.op, &mut tell);
        edge.op.destination().into_iter().for_each(&mut tell);
    }
    for _ in 0..COMPARED {
        let mut more = BTreeSet::new();
        for edge in &proc.edges {
            let sides = match &edge.op {
                Op::Assume(Expr::Binary(op, l, r, _)) if op.is_comparison() => [&**l, r].map(all_named),
                Op::Assign(lv, value) => [all_named(&lv.clone().load()), all_named(value)],
                _ => continue,
            };
            if sides.iter().flatten().any(|e| out.contains(e)) {
                more.extend(sides.into_iter().flatten());
            }
        }
        out.extend(more);
    }
    out
}

/// Comparisons of comparisons that are followed.
const COMPARED: usize = 2;

fn all_named(e: &Expr) -> BTreeSet<Expr> {
    let mut out = BTreeSet::new();
    named(e, &mut out);
    out
}

/// Adds the named places of the sum.
fn named(e: &Expr, out: &mut BTreeSet<Expr>) {
    let mut pending = vec![e];
    while let Some(e) = pending.pop() {
        match e {
            Expr::Load(lv) => {
                let lv = plain(Lvalue::clone(lv));
                if is_named(&lv) && is_integer(&lv.ty) {
                    out.insert(lv.load());
                }
            }
            Expr::Cast(inner, _) | Expr::Unary(_, inner, _) => pending.push(inner),
            Expr::Binary(_, l, r, _) => pending.extend([&**l, r]),
            _ => {}
        }
    }
}

/// The arrays that the procedure walks, those first that occur most.
fn arrays(program: &Program, proc: &Proc) -> Vec<Array> {
    let mut counts: BTreeMap<Array, usize> = BTreeMap::new();
    for edge in &proc.edges {
        let mut tell = |lv: &Lvalue| {
            for array in of(program, &plain(lv.clone())) {
                *counts.entry(array).or_default() += 2;
            }
        };
        visit::loads(&edge.op, &mut tell);
        edge.op.destination().into_iter().for_each(&mut tell);
        if let Op::Call { args, .. } = &edge.op {
            for array in args.iter().flat_map(|arg| handed_on(program, arg)) {
                *counts.entry(array).or_default() += 1;
            }
        }
    }
    let mut out: Vec<(Array, usize)> = counts.into_iter().collect();
    out.sort_by_key(|(_, count)| Reverse(*count));
    out.into_iter().map(|(array, _)| array).take(MOST).collect()
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Int(int) if int.bits <= 64)
}

/// The arrays of which the place is an element: at an index, or behind a moved pointer.
fn of(program: &Program, lv: &Lvalue) -> Vec<Array> {
    if !is_integer(&lv.ty) {
        return vec![];
    }
    let mut out = vec![];
    let mut ty = match &lv.base {
        Base::Var(v) => program.vars[*v].ty.clone(),
        Base::Deref(pointer) => pointer.ty().pointee().cloned().unwrap_or(Type::Void),
    };
    for (n, access) in lv.path.iter().enumerate() {
        if let (Access::Index(_), Type::Array(_, length)) = (access, &ty) {
            let mut first = lv.clone();
            first.path[n] = Access::Index(Expr::int(0));
            out.push(Array { first, step: Some(n), length: *length });
        }
        let Some(inner) = program.part_type(&ty, access) else { return out };
        ty = inner;
    }
    if let Base::Deref(pointer) = &lv.base
        && let Expr::Binary(BinOp::PtrAdd, start, _, _) = &**pointer
        && matches!(**start, Expr::Load(_))
    {
        let first = Lvalue { base: Base::Deref(start.clone()), ..lv.clone() };
        out.push(Array { first, step: None, length: None });
    }
    out
}

/// The arrays whose address is an argument, or that lie in a record whose address is.
fn handed_on(program: &Program, arg: &Expr) -> Vec<Array> {
    let target = match arg.uncast() {
        Expr::AddrOf(lv) => plain(Lvalue::clone(lv)),
        pointer @ Expr::Load(_) if matches!(pointer.ty().pointee(), Some(Type::Record(_))) => {
            Lvalue::deref(pointer.clone())
        }
        _ => return vec![],
    };
    match target.ty {
        Type::Record(r) => members(program, &target, r),
        _ => of(program, &target),
    }
}

/// The arrays of integers in a record.
fn members(program: &Program, record: &Lvalue, r: RecordId) -> Vec<Array> {
    let member = |f: usize| {
        let ty = &program.field(r, f as u32).ty;
        let Type::Array(element, length) = ty else { return None };
        let first = record.clone().step(Access::Field(r, f as u32), ty.clone());
        let step = Some(first.path.len());
        let first = first.step(Access::Index(Expr::int(0)), Type::clone(element));
        is_integer(element).then_some(Array { first, step, length: *length })
    };
    (0..program.records[r].fields.len()).filter_map(member).collect()
}
