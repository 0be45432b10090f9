//! Objects that are accessed at several types, as bytes: unions of which more than one member is used, numbers
//! that are accessed through `char *`, bit-fields in such objects, short blocks that are copied. Their
//! variables become arrays of `unsigned char`, a load is put together from bytes, a store stores each byte.
//!
//! Executions are unchanged as long as they stay inside of their objects; cells that points-to analysis left
//! opaque become maps from addresses to bytes. Objects that hold pointers stay as they are, and so do objects
//! that unknown pointers may reach: a pointer has no bytes here.
//!
//! Invariant: every access that may be to such an object is by bytes.

use alias::cells::CellKind;
use alias::oracle::{AliasOracle, Object, PointsTo};
use base::{Span, UnionFind};
use ir::convert::difference_type;
use ir::edit::{Graph, Step};
use ir::expr::{Access, Base, BinOp, Expr, FloatOp, Lvalue};
use ir::program::{EdgeId, HavocKind, Op, ProcId, Program, VarId, VarKind};
use ir::types::{FloatType, IntType, Type};
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The largest object, in bytes.
const LARGEST: u64 = 1 << 12;
/// The longest block, in bytes, that is copied byte by byte.
const LONGEST: i128 = 64;

const BYTE: IntType = IntType { bits: 8, signed: false };

/// The objects that become bytes.
struct Objects(BTreeSet<Object>);

/// Whether there are such objects. The oracle is the program's.
pub fn has_bytes(program: &Program, oracle: &AliasOracle) -> bool {
    !Objects::of(program, oracle).0.is_empty()
}

/// The program with such objects as bytes; nothing where there are none. The oracle is the program's before.
pub fn objects_as_bytes(program: &Program, oracle: &AliasOracle) -> Option<Program> {
    let objects = Objects::of(program, oracle);
    if objects.0.is_empty() {
        return None;
    }
    let mut out = program.clone();
    for object in &objects.0 {
        if let Object::Var(v) = object {
            let size = program.size_of(&program.vars[*v].ty).expect("its size was asked for");
            out.vars[*v].align = program.alignment(*v);
            out.vars[*v].ty = Type::Array(Type::Int(BYTE).into(), Some(size));
        }
    }
    let bytes = Bytes { program, oracle, objects };
    for p in program.procs.ids() {
        for e in program.procs[p].edges.ids() {
            bytes.edge(&mut Graph::new(&mut out, p), p, e);
        }
    }
    Some(out)
}

/// Objects that are accessed together, by one expression or one copy.
#[derive(Default)]
struct Groups {
    numbers: BTreeMap<Object, usize>,
    sets: UnionFind<usize>,
}

impl Groups {
    fn find(&mut self, object: Object) -> usize {
        let number = *self.numbers.entry(object).or_insert_with(|| self.sets.push());
        self.sets.find(number)
    }

    /// Makes the objects one group and returns one of them.
    fn unite(&mut self, objects: &[Object]) -> Option<Object> {
        let first = *objects.first()?;
        for object in objects {
            let (group, other) = (self.find(first), self.find(*object));
            self.sets.unite(group, other);
        }
        Some(first)
    }
}

impl Objects {
    fn of(program: &Program, oracle: &AliasOracle) -> Objects {
        let mut groups = Groups::default();
        // Members of the groups that are accessed at several types, and of those with an access that is not one of bytes.
        let (mut wanted, mut refused) = (vec![], vec![]);
        let targets = |pointer: &Expr| {
            let PointsTo { objects, unknown } = oracle.points_to(pointer);
            (objects, unknown)
        };
        for (_, _, edge) in program.edges() {
            let mut access = |lv: &Lvalue, moves: bool| {
                let (objects, unknown) = match &lv.base {
                    Base::Var(v) => (vec![Object::Var(*v)], false),
                    Base::Deref(pointer) => targets(pointer),
                };
                let Some(group) = groups.unite(&objects) else { return };
                if unknown || !is_whole_bytes(program, lv) || moves {
                    refused.push(group);
                } else if *oracle.cell_kind(oracle.cell(lv)) == CellKind::Opaque {
                    wanted.push(group);
                }
            };
            if let Some(dest) = edge.op.destination() {
                // A call may change what says where its result goes.
                access(dest, matches!(edge.op, Op::Call { .. }) && !dest.is_fixed());
            }
            visit::loads(&edge.op, &mut |lv| access(lv, false));
            if let Op::MemCopy { dst, src, len } = &edge.op {
                let ((mut objects, unknown), (others, open)) = (targets(dst), targets(src));
                objects.extend(others);
                let Some(group) = groups.unite(&objects) else { continue };
                if unknown || open {
                    refused.push(group);
                } else if is_short(len) {
                    wanted.push(group);
                }
            }
        }
        let all: Vec<Object> = groups.numbers.keys().copied().collect();
        refused.extend(all.iter().filter(|object| !can_be_bytes(program, **object)));
        let wanted: BTreeSet<usize> = wanted.into_iter().map(|o| groups.find(o)).collect();
        let refused: BTreeSet<usize> = refused.into_iter().map(|o| groups.find(o)).collect();
        let chosen = all.into_iter().filter(|object| {
            let group = groups.find(*object);
            wanted.contains(&group) && !refused.contains(&group)
        });
        Objects(chosen.collect())
    }
}

/// Whether a block of this length is copied byte by byte.
fn is_short(len: &Expr) -> bool {
    len.as_const().is_some_and(|len| (1..=LONGEST).contains(&len))
}

/// Whether an object can be declared as bytes.
fn can_be_bytes(program: &Program, object: Object) -> bool {
    match object {
        Object::Var(v) => {
            let var = &program.vars[v];
            let own = matches!(var.kind, VarKind::Global | VarKind::Local(_) | VarKind::Temp(_));
            let size = program.size_of(&var.ty);
            own && !program.is_elsewhere(v) && size.is_some_and(|size| 0 < size && size <= LARGEST)
        }
        Object::Heap(..) => true,
        Object::Func(_) | Object::External => false,
    }
}

/// Whether values of the location are whole bytes, or a bit-field in few bytes.
fn is_whole_bytes(program: &Program, lv: &Lvalue) -> bool {
    match (&lv.ty, bit_field(program, lv)) {
        (Type::Int(t), Some(bit)) => bit % 8 + t.bits <= 64,
        (Type::Int(t), None) => *t == IntType::BOOL || matches!(t.bits, 8 | 16 | 32 | 64),
        (Type::Float(f), _) => matches!(f, FloatType { bits: 32 | 64 }),
        _ => false,
    }
}

/// The first bit of a bit-field.
fn bit_field(program: &Program, lv: &Lvalue) -> Option<u16> {
    match lv.path.last()? {
        Access::Field(r, f) => program.field(*r, *f).bit_offset,
        Access::Index(_) => None,
    }
}

/// The type in which `bytes` bytes are put together.
fn holder(bytes: u64) -> Type {
    let bits = bytes.next_power_of_two().max(4) * 8;
    Type::Int(IntType { bits: bits as u16, signed: false })
}

/// The position of bytes.
#[derive(Clone)]
struct Place {
    base: Base,
    /// Behind the start of the variable, or behind the pointer, which is one to bytes.
    offset: Expr,
}

struct Bytes<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    objects: Objects,
}

impl Bytes<'_> {
    fn index(&self) -> Type {
        difference_type(self.program.model)
    }

    /// Whether the location is in an object of bytes.
    fn is_lowered(&self, lv: &Lvalue) -> bool {
        match &lv.base {
            Base::Var(v) => self.objects.0.contains(&Object::Var(*v)),
            Base::Deref(pointer) => {
                let targets = self.oracle.points_to(pointer).objects;
                !targets.is_empty() && targets.iter().all(|o| self.objects.0.contains(o))
            }
        }
    }

    /// The expression over bytes.
    fn expr(&self, e: &Expr) -> Expr {
        match e {
            Expr::Load(lv) if self.is_lowered(lv) => self.load(lv),
            Expr::AddrOf(lv) if self.is_lowered(lv) => {
                let place = self.place(lv);
                let ty = e.ty();
                match (&place.base, &place.offset) {
                    (Base::Deref(pointer), Expr::Const(0, _)) => (**pointer).clone().cast(ty),
                    (Base::Deref(pointer), offset) => {
                        let pointer = (**pointer).clone();
                        Expr::binary(BinOp::PtrAdd, pointer, offset.clone()).cast(ty)
                    }
                    (Base::Var(_), _) => self.byte(&place, 0).addr().cast(ty),
                }
            }
            other => other.clone().rebuilt(&mut |e| self.expr(&e)),
        }
    }

    fn constant(&self, n: u64) -> Expr {
        Expr::Const(n.into(), self.index())
    }

    fn sum(&self, a: Expr, b: Expr) -> Expr {
        match (&a, &b) {
            (Expr::Const(x, ty), Expr::Const(y, _)) => Expr::Const(x + y, ty.clone()),
            (_, Expr::Const(0, _)) => a,
            (Expr::Const(0, _), _) => b,
            _ => Expr::binary(BinOp::Add, a, b),
        }
    }

    /// The first byte of a location's storage.
    fn place(&self, lv: &Lvalue) -> Place {
        let (base, mut ty) = match &lv.base {
            Base::Var(v) => (Base::Var(*v), self.program.vars[*v].ty.clone()),
            Base::Deref(pointer) => {
                let ty = pointer.ty().pointee().cloned().expect("only pointers are dereferenced");
                let bytes = self.expr(pointer).cast(Type::Int(BYTE).ptr_to());
                (Base::Deref(Box::new(bytes)), ty)
            }
        };
        let mut offset = self.constant(0);
        for access in &lv.path {
            match access {
                Access::Field(r, f) => {
                    let field = self.program.field(*r, *f);
                    offset = self.sum(
                        offset,
                        self.constant(field.offset + u64::from(field.bit_offset.unwrap_or(0) / 8)),
                    );
                    ty = field.ty.clone();
                }
                Access::Index(i) => {
                    let Type::Array(element, _) = ty else { panic!("only arrays have elements") };
                    let size = self.program.size_of(&element).expect("elements have a size");
                    let step = match self.expr(i).cast(self.index()) {
                        Expr::Const(n, ty) => Expr::Const(n * i128::from(size), ty),
                        i if size == 1 => i,
                        i => Expr::binary(BinOp::Mul, i, self.constant(size)),
                    };
                    offset = self.sum(offset, step);
                    ty = (*element).clone();
                }
            }
        }
        Place { base, offset }
    }

    /// A byte at a place.
    fn byte(&self, place: &Place, n: u64) -> Lvalue {
        let offset = self.sum(place.offset.clone(), self.constant(n));
        let ty = Type::Int(BYTE);
        match &place.base {
            Base::Var(v) => Lvalue { base: Base::Var(*v), path: vec![Access::Index(offset)], ty },
            Base::Deref(pointer) => match offset {
                Expr::Const(0, _) => Lvalue::deref((**pointer).clone()),
                offset => Lvalue::deref(Expr::binary(BinOp::PtrAdd, (**pointer).clone(), offset)),
            },
        }
    }

    /// How many bytes hold the value, and from which bit on.
    fn extent(&self, lv: &Lvalue) -> (u64, u16) {
        match (bit_field(self.program, lv), &lv.ty) {
            (Some(bit), Type::Int(t)) => (u64::from((bit % 8 + t.bits).div_ceil(8)), bit % 8),
            _ => (self.program.size_of(&lv.ty).expect("scalars have a size"), 0),
        }
    }

    /// The bytes as one unsigned number, of a type that has at least `bytes` bytes.
    fn whole(&self, place: &Place, bytes: u64) -> Expr {
        let ty = holder(bytes);
        let part = |n: u64| {
            let byte = self.byte(place, n).load().cast(ty.clone());
            match n {
                0 => byte,
                n => Expr::binary(BinOp::Shl, byte, Expr::int(i128::from(8 * n))),
            }
        };
        (1..bytes).fold(part(0), |all, n| Expr::binary(BinOp::BitOr, all, part(n)))
    }

    fn load(&self, lv: &Lvalue) -> Expr {
        let (place, (bytes, bit)) = (self.place(lv), self.extent(lv));
        let whole = self.whole(&place, bytes);
        match &lv.ty {
            Type::Float(_) => FloatOp::OfBits.of(whole),
            ty if bit > 0 => Expr::binary(BinOp::Shr, whole, Expr::int(bit.into())).cast(ty.clone()),
            ty => whole.cast(ty.clone()),
        }
    }

    /// The place with nothing in it that a store to its bytes could change, and what has to be done for that.
    fn held(&self, graph: &mut Graph<'_>, place: Place, span: Span, steps: &mut Vec<Step>) -> Place {
        let mut hold = |e: Expr| {
            let fixed = matches!(e, Expr::Const(..)) || !e.has(|e| matches!(e, Expr::Load(_)));
            if fixed {
                return e;
            }
            let ty = e.ty();
            let temp = Lvalue::var(graph.temp("byte__", ty.clone(), span), ty);
            steps.push(Step::Op(Op::Assign(temp.clone(), e)));
            temp.load()
        };
        let base = match place.base {
            Base::Deref(pointer) => Base::Deref(Box::new(hold(*pointer))),
            base => base,
        };
        Place { base, offset: hold(place.offset) }
    }

    /// The stores of a value that nothing changes.
    fn stores(&self, graph: &mut Graph<'_>, lv: &Lvalue, value: &Expr, span: Span) -> Vec<Step> {
        let mut steps = vec![];
        let place = self.held(graph, self.place(lv), span, &mut steps);
        let (bytes, bit) = self.extent(lv);
        let ty = holder(bytes);
        let number = match (&lv.ty, bit_field(self.program, lv)) {
            (Type::Float(_), _) => FloatOp::ToBits.of(value.clone()),
            (Type::Int(t), Some(_)) => {
                // The neighbours stay.
                let own = (1i128 << t.bits) - 1;
                let all = ty.as_int().map_or(0, |t| t.max());
                let mask = |m: i128| Expr::Const(m & all, ty.clone());
                let shift = |e: Expr| match bit {
                    0 => e,
                    bit => Expr::binary(BinOp::Shl, e, Expr::int(bit.into())),
                };
                let raw = Type::Int(IntType { bits: t.bits, signed: false });
                let new = shift(value.clone().cast(raw).cast(ty.clone()));
                let old = Expr::binary(BinOp::BitAnd, self.whole(&place, bytes), mask(!(own << bit)));
                Expr::binary(BinOp::BitOr, old, new)
            }
            _ => value.clone().cast(ty.clone()),
        };
        let number = match bytes {
            1 => number,
            _ => {
                let temp = Lvalue::var(graph.temp("byte__", ty.clone(), span), ty);
                steps.push(Step::Op(Op::Assign(temp.clone(), number)));
                temp.load()
            }
        };
        for n in 0..bytes {
            let part = match n {
                0 => number.clone(),
                n => Expr::binary(BinOp::Shr, number.clone(), Expr::int(i128::from(8 * n))),
            };
            steps.push(Step::Op(Op::Assign(self.byte(&place, n), part.cast(Type::Int(BYTE)))));
        }
        steps
    }

    /// Rewrites an edge.
    fn edge(&self, graph: &mut Graph<'_>, p: ProcId, e: EdgeId) {
        let edge = &self.program.procs[p].edges[e];
        if edge.op.ends().is_some() {
            return self.end(graph, p, e);
        }
        let span = edge.span;
        let dest = edge.op.destination().filter(|lv| self.is_lowered(lv));
        let mut op = edge.op.clone();
        op.operands_mut().into_iter().for_each(|o| *o = self.expr(o));
        let mut steps = vec![];
        match (&mut op, dest) {
            (Op::Havoc(_, HavocKind::Uninit), Some(lv)) if lv.as_var().is_some() => {
                // Each byte has no value of its own.
                let place = self.place(lv);
                let (bytes, _) = self.extent(lv);
                let arbitrary = |n| Op::Havoc(self.byte(&place, n), HavocKind::Uninit);
                op = arbitrary(0);
                steps.extend((1..bytes).map(|n| Step::Op(arbitrary(n))));
            }
            (Op::Assign(_, value), Some(lv)) if self.is_one_byte(lv) => {
                let byte = self.byte(&self.place(lv), 0);
                op = Op::Assign(byte, value.clone().cast(Type::Int(BYTE)));
            }
            (op, Some(lv)) => {
                let temp = Lvalue::var(graph.temp("byte__", lv.ty.clone(), span), lv.ty.clone());
                steps = self.stores(graph, lv, &temp.clone().load(), span);
                *op.destination_mut().expect("it has one") = temp;
            }
            (Op::MemCopy { dst, src, len }, None) if is_short(len) && self.is_copy_of_bytes(&edge.op) => {
                let len = len.as_const().expect("it is short") as u64;
                (op, steps) = self.copy(graph, (dst.clone(), src.clone()), len, span);
            }
            (op, None) => {
                if let Some(dest) = op.destination_mut() {
                    *dest = std::mem::replace(dest, Lvalue::var(base::Id::from_index(0), Type::INT))
                        .rebuilt(&mut |e| self.expr(&e));
                }
            }
        }
        graph.program.procs[p].edges[e].op = op;
        graph.after(e, &steps);
    }

    /// The life of a variable ends: it has another type now.
    fn end(&self, graph: &mut Graph<'_>, p: ProcId, e: EdgeId) {
        let op = &mut graph.program.procs[p].edges[e].op;
        let Some(v) = op.ends() else { return };
        let var: VarId = v;
        let ty = graph.program.vars[var].ty.clone();
        graph.program.procs[p].edges[e].op = Op::Free(Lvalue::var(var, ty).addr());
    }

    fn is_one_byte(&self, lv: &Lvalue) -> bool {
        lv.ty.as_int().is_some_and(|t| t.bits == 8) && bit_field(self.program, lv).is_none()
    }

    fn is_copy_of_bytes(&self, op: &Op) -> bool {
        let Op::MemCopy { dst, src, .. } = op else { return false };
        [dst, src].into_iter().all(|pointer| {
            let targets = self.oracle.points_to(pointer).objects;
            !targets.is_empty() && targets.iter().all(|o| self.objects.0.contains(o))
        })
    }

    /// A copy byte by byte: all are read before the first is written.
    fn copy(&self, graph: &mut Graph<'_>, (dst, src): (Expr, Expr), len: u64, span: Span) -> (Op, Vec<Step>) {
        let mut steps = vec![];
        let at = |pointer: Expr| Place {
            base: Base::Deref(Box::new(pointer.cast(Type::Int(BYTE).ptr_to()))),
            offset: self.constant(0),
        };
        let from = at(src);
        let to = self.held(graph, at(dst), span, &mut steps);
        let mut values = vec![];
        for n in 0..len {
            let temp = Lvalue::var(graph.temp("byte__", Type::Int(BYTE), span), Type::Int(BYTE));
            steps.push(Step::Op(Op::Assign(temp.clone(), self.byte(&from, n).load())));
            values.push(temp.load());
        }
        for (n, value) in (0..).zip(values) {
            steps.push(Step::Op(Op::Assign(self.byte(&to, n), value)));
        }
        (Op::Skip, steps)
    }
}
