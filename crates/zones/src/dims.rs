//! The places of a procedure that zones track: scalars that are found without arithmetic, as `n`, `s.len` or
//! `p->len`, and that the alias oracle models exactly. Where a condition asks for sizes of objects, also elements like
//! `s[i]`: characters behind the pointers in question, and those of these pointers that are elements themselves.

use super::sizes::Sizes;
use alias::{AliasOracle, CellId, CellKind, CellSet};
use ir::extent::extent_type;
use ir::types::IntType;
use ir::visit;
use ir::{Access, Base, BinOp, DataModel, Expr, Lvalue, Op, ProcId, Program, Type, UnOp, VarKind};
use std::collections::BTreeMap;

/// Most places of a procedure; those that are mentioned least are left out.
const MOST: usize = 48;

/// What is asked of a place, besides its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Question {
    /// The size of what a pointer points into.
    Size(UnOp),
    /// An integer divided by a constant, which is not 0: the number of elements in a number of bytes.
    Quotient(i128),
}

impl Question {
    /// Asked of a value.
    pub(crate) fn of(self, e: Expr) -> Expr {
        match self {
            Question::Size(op) => Expr::Unary(op, Box::new(e), extent_type()),
            Question::Quotient(by) => {
                let by = Expr::Const(by, e.ty());
                Expr::binary(BinOp::Div, e, by)
            }
        }
    }
}

/// A place, or how much of its object lies at and behind the pointer at a place, or before it.
pub(crate) struct Dim {
    pub(crate) lv: Lvalue,
    /// What is asked of it; nothing for the value itself.
    pub(crate) asked: Option<Question>,
    /// The type of the answer.
    pub(crate) ty: Type,
    /// Its cell.
    pub(crate) cell: CellId,
    /// The cells that are read to find it.
    pub(crate) reads: CellSet,
    /// The values that its type has.
    pub(crate) range: (i128, i128),
}

impl Dim {
    /// The value.
    pub(crate) fn value(&self) -> Expr {
        self.of(self.lv.clone().load())
    }

    /// What is known of this place, asked of another value.
    pub(crate) fn of(&self, e: Expr) -> Expr {
        match self.asked {
            Some(question) => question.of(e),
            None => e,
        }
    }
}

/// The places of a procedure. Their numbers in zones are one more than here.
pub(crate) struct Dims {
    pub(crate) list: Vec<Dim>,
    numbers: BTreeMap<(Lvalue, Option<Question>), usize>,
}

impl Dims {
    /// The places of the procedure, and those of globals that it reads or changes with its calls.
    pub(crate) fn new(
        program: &Program,
        oracle: &AliasOracle,
        p: ProcId,
        globals: &[Lvalue],
        sizes: &Sizes,
    ) -> Dims {
        let mut mentions: BTreeMap<(Lvalue, Option<Question>), usize> = BTreeMap::new();
        let behind_asked: Vec<&Lvalue> = sizes.of(p).map(|(lv, _)| lv).collect();
        let mut tell = |lv: &Lvalue| {
            let lv = plain(lv.clone());
            if is_named(&lv) || is_place(&lv) && is_wanted(&lv, &behind_asked) {
                *mentions.entry((lv, None)).or_default() += 1;
            }
        };
        for edge in &program.procs[p].edges {
            visit::loads(&edge.op, &mut tell);
            edge.op.destination().into_iter().for_each(&mut tell);
        }
        let own = &program.procs[p];
        own.formals.iter().chain(&own.ret).for_each(|v| tell(&program.lvalue(*v)));
        let (refs, mods) = (oracle.refs(p), oracle.mods(p));
        let concerns = |lv: &Lvalue| {
            let cell = oracle.cell(lv);
            refs.contains(cell) || mods.contains(cell)
        };
        for lv in globals.iter().filter(|lv| concerns(lv)) {
            mentions.entry((lv.clone(), None)).or_default();
        }
        let of_globals = sizes.of_globals(program).into_iter().filter(|(lv, _)| concerns(lv));
        for (lv, question) in sizes.of(p).cloned().chain(of_globals) {
            let count = mentions.get(&(lv.clone(), None)).copied().unwrap_or(0);
            mentions.entry((lv.clone(), None)).or_insert(count);
            mentions.insert((lv, Some(question)), count);
        }
        let mut found: Vec<(Dim, usize)> = mentions
            .into_iter()
            .filter_map(|((lv, asked), count)| Some((dim(program, oracle, lv, asked)?, count)))
            .collect();
        found.sort_by(|(a, x), (b, y)| {
            let far = |dim: &Dim| !is_named(&dim.lv);
            far(a)
                .cmp(&far(b))
                .then(y.cmp(x))
                .then_with(|| a.lv.cmp(&b.lv))
                .then_with(|| a.asked.cmp(&b.asked))
        });
        found.truncate(MOST);
        let list: Vec<Dim> = found.into_iter().map(|(dim, _)| dim).collect();
        let numbers = list.iter().enumerate().map(|(i, dim)| ((dim.lv.clone(), dim.asked), i + 1)).collect();
        Dims { list, numbers }
    }

    /// No places.
    pub(crate) fn none() -> Dims {
        Dims { list: vec![], numbers: BTreeMap::new() }
    }

    /// The number in zones of a place.
    pub(crate) fn number(&self, lv: &Lvalue) -> Option<usize> {
        self.asked(lv, None)
    }

    /// The number in zones of what is asked of a place.
    pub(crate) fn asked(&self, lv: &Lvalue, question: Option<Question>) -> Option<usize> {
        match lv.base {
            Base::Deref(_) => self.numbers.get(&(plain(lv.clone()), question)).copied(),
            Base::Var(_) => self.numbers.get(&(lv.clone(), question)).copied(),
        }
    }

    /// The place with this number, which is not 0.
    pub(crate) fn place(&self, number: usize) -> &Dim {
        &self.list[number - 1]
    }

    /// The numbers of all places.
    pub(crate) fn ids(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.list.len()
    }
}

/// The places of globals that some operation mentions by name.
pub(crate) fn globals(program: &Program) -> Vec<Lvalue> {
    let mut out = std::collections::BTreeSet::new();
    let mut tell = |lv: &Lvalue| {
        let lv = plain(lv.clone());
        if let Base::Var(v) = lv.base
            && program.vars[v].kind == VarKind::Global
            && is_named(&lv)
        {
            out.insert(lv);
        }
    };
    for (_, _, edge) in program.edges() {
        let op: &Op = &edge.op;
        visit::loads(op, &mut tell);
        op.destination().into_iter().for_each(&mut tell);
    }
    out.into_iter().collect()
}

/// Whether an element is one that conditions on sizes are about: a character behind one of these pointers, or one of them.
fn is_wanted(lv: &Lvalue, asked: &[&Lvalue]) -> bool {
    if lv.ty.is_ptr() {
        return asked.contains(&lv);
    }
    let Base::Deref(pointer) = &lv.base else { return false };
    let start = if let Expr::Binary(BinOp::PtrAdd, start, ..) = &**pointer { start } else { pointer };
    let Expr::Load(start) = &**start else { return false };
    matches!(lv.ty, Type::Int(int) if int.bits == 8) && asked.contains(&&plain((**start).clone()))
}

/// The lvalue without `*&`.
pub fn plain(lv: Lvalue) -> Lvalue {
    let Base::Deref(pointer) = &lv.base else { return lv };
    let Expr::AddrOf(inner) = &**pointer else { return lv };
    let mut inner = plain((**inner).clone());
    if inner.ty != pointer.ty().pointee().cloned().unwrap_or(Type::Void) {
        return lv;
    }
    inner.path.extend(lv.path);
    Lvalue { ty: lv.ty, ..inner }
}

/// Whether the place is found from variables without arithmetic.
pub fn is_named(lv: &Lvalue) -> bool {
    let fields = lv.path.iter().all(|access| matches!(access, Access::Field(..)));
    fields
        && match &lv.base {
            Base::Var(_) => true,
            Base::Deref(pointer) => matches!(&**pointer, Expr::Load(inner) if is_named(inner)),
        }
}

/// Whether the place is named, or an element behind such a pointer at an index that is computed from named places.
pub(super) fn is_place(lv: &Lvalue) -> bool {
    let Base::Deref(pointer) = &lv.base else { return is_named(lv) };
    let is_start = |e: &Expr| matches!(e, Expr::Load(inner) if is_place(inner));
    match &**pointer {
        Expr::Binary(BinOp::PtrAdd, start, index, _) => {
            lv.path.is_empty() && is_start(start) && is_index(index)
        }
        start => is_named(lv) || lv.path.is_empty() && is_start(start),
    }
}

/// A number, a named place, or one of them and a number.
fn is_index(e: &Expr) -> bool {
    match e {
        Expr::Const(..) => true,
        Expr::Load(lv) => is_named(lv) && lv.ty.as_int().is_some(),
        Expr::Cast(inner, Type::Int(_)) => is_index(inner),
        Expr::Binary(BinOp::Add | BinOp::Sub, l, r, _) => is_index(l) && r.as_const().is_some(),
        _ => false,
    }
}

fn dim(program: &Program, oracle: &AliasOracle, lv: Lvalue, asked: Option<Question>) -> Option<Dim> {
    let ty = match asked {
        Some(Question::Size(_)) => extent_type(),
        Some(Question::Quotient(_)) | None => lv.ty.clone(),
    };
    let range = range(&ty, program.model)?;
    let cell = oracle.cell(&lv);
    let mut reads = CellSet::new();
    let mut exact = !matches!(oracle.cell_kind(cell), CellKind::Opaque);
    for e in lv.children() {
        e.loads(&mut |inner| {
            let cell = oracle.cell(inner);
            exact &= !matches!(oracle.cell_kind(cell), CellKind::Opaque);
            reads.insert(cell);
        });
    }
    exact.then_some(Dim { lv, asked, ty, cell, reads, range })
}

/// The values of a type: addresses of pointers, with 0 for NULL. `None` for types that zones do not track.
pub(crate) fn range(ty: &Type, model: DataModel) -> Option<(i128, i128)> {
    let int = match ty {
        Type::Int(int) => *int,
        Type::Ptr(_) => IntType { bits: model.pointer_bits(), signed: false },
        _ => return None,
    };
    (int.bits <= 64).then(|| (int.min(), int.max()))
}
