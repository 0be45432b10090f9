//! Assignments to members behind block operations on small blocks: `memset(&s, 0, sizeof s)` is followed by
//! `s.a = 0; s.b = 0;`, `memcpy(&t, &s, sizeof t)` by `t.a = s.a; …`. The block operation has the same effect,
//! hence executions skip these edges ([`EdgeKind::Implied`](ir::EdgeKind::Implied)); for proofs they relate
//! bytes to values. Only members that some load of the program may read are written out, each at the type at
//! which it is read, and copies only where the two blocks are parts of different objects: they do not overlap.

use alias::cells::{CellId, CellKind};
use alias::oracle::AliasOracle;
use ir::edit::{Graph, Step};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Edge, EdgeId, Op, ProcId, Program, VarId};
use ir::types::{RecordId, Type};
use std::collections::BTreeSet;

/// Most scalars that a block is written out as.
const MOST: usize = 32;

/// A block of memory as elements of a type.
struct Place {
    /// A pointer to the first element, without conversions around it.
    pointer: Expr,
    element: Type,
}

/// Places that are read alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    /// The places of a cell.
    Cell(CellId),
    /// A member of a variable about which the oracle knows nothing, as the program only accesses it in blocks;
    /// indices left out.
    Named(VarId, Vec<(RecordId, u32)>),
}

impl Read {
    /// `None` for what is used at several types.
    fn of(oracle: &AliasOracle, lv: &Lvalue) -> Option<Read> {
        let cell = oracle.cell(lv);
        match (oracle.cell_kind(cell), &lv.base) {
            (CellKind::Scalar { ty, .. } | CellKind::Map { ty }, _) => {
                (*ty == lv.ty).then_some(Read::Cell(cell))
            }
            (CellKind::Opaque, Base::Var(v)) => {
                let field = |access: &Access| match access {
                    Access::Field(r, f) => Some((*r, *f)),
                    Access::Index(_) => None,
                };
                Some(Read::Named(*v, lv.path.iter().filter_map(field).collect()))
            }
            (CellKind::Opaque, Base::Deref(_)) => None,
        }
    }
}

/// A block operation.
struct Block {
    proc: ProcId,
    edge: EdgeId,
    to: Place,
    /// From where; a fill has none.
    from: Option<Place>,
    /// The byte of a fill.
    byte: u8,
    /// How many elements.
    count: u64,
    /// Which of the scalars are written out.
    chosen: BTreeSet<usize>,
}

/// Adds the assignments; whether there are any. The oracle is the program's before.
pub fn spell_out_members(program: &mut Program, oracle: &AliasOracle) -> bool {
    let mut blocks = blocks(program, oracle);
    if blocks.is_empty() {
        return false;
    }
    let mut read = loads(program, oracle);
    // Members that are copied are read where the copy is.
    while blocks.iter_mut().fold(false, |news, block| news | block.choose(program, oracle, &mut read)) {}
    blocks.retain(|block| !block.chosen.is_empty());
    for block in &blocks {
        block.write_out(program);
    }
    !blocks.is_empty()
}

/// The block operations of known, small length on memory whose type is known.
fn blocks(program: &Program, oracle: &AliasOracle) -> Vec<Block> {
    let reachable = alias::reachable(program, oracle);
    let edges = program.edges().filter(|(p, ..)| reachable[*p]);
    edges.filter_map(|(proc, edge, Edge { op, .. })| block(program, oracle, (proc, edge), op)).collect()
}

fn block(program: &Program, oracle: &AliasOracle, (proc, edge): (ProcId, EdgeId), op: &Op) -> Option<Block> {
    let (to, from, byte, len) = match op {
        Op::MemSet { ptr, byte: Expr::Const(byte, _), len } => {
            (Place::of(program, ptr)?, None, *byte as u8, len)
        }
        Op::MemCopy { dst, src, len } if apart(oracle, dst, src) => {
            let (to, from) = (Place::of(program, dst), Place::of(program, src));
            // A block that is no more than bytes gets the type of the other one.
            let element = to.as_ref().or(from.as_ref())?.element.clone();
            let bytes = |e: &Expr| Place { pointer: plain(e).clone(), element: element.clone() };
            let (to, from) = (to.unwrap_or_else(|| bytes(dst)), from.unwrap_or_else(|| bytes(src)));
            if to.element != from.element {
                return None;
            }
            (to, Some(from), 0, len)
        }
        _ => return None,
    };
    let (len, size) = (length(len)?, program.size_of(&to.element)?);
    let count = len / size;
    let block = Block { proc, edge, to, from, byte, count, chosen: BTreeSet::new() };
    let small = len.is_multiple_of(size)
        && count <= MOST as u64
        && block.to.scalars(program, &block.to.pointer, count).len() <= MOST;
    small.then_some(block)
}

fn length(len: &Expr) -> Option<u64> {
    u64::try_from(len.as_const()?).ok().filter(|n| *n > 0)
}

/// Whether the pointers cannot be into the same object.
fn apart(oracle: &AliasOracle, a: &Expr, b: &Expr) -> bool {
    let (a, b) = (oracle.points_to(a), oracle.points_to(b));
    !a.unknown && !b.unknown && a.objects.iter().all(|o| !b.objects.contains(o))
}

/// The pointer without conversions of pointers.
fn plain(e: &Expr) -> &Expr {
    match e {
        Expr::Cast(inner, Type::Ptr(_)) if inner.ty().is_ptr() => plain(inner),
        e => e,
    }
}

impl Place {
    /// `None` for bytes of something unknown.
    fn of(program: &Program, pointer: &Expr) -> Option<Place> {
        let pointer = plain(pointer).clone();
        let element = pointer.ty().pointee()?.clone();
        let named = matches!(&pointer, Expr::AddrOf(lv) if matches!(lv.base, Base::Var(_)));
        let bytes = matches!(element, Type::Int(int) if int.bits == 8);
        let typed = !matches!(element, Type::Void | Type::Func(_)) && (named || !bytes);
        (typed && program.size_of(&element)? > 0).then_some(Place { pointer, element })
    }

    /// The scalars in `count` elements, found from a pointer that has this place's value: as many as can be named.
    fn scalars(&self, program: &Program, pointer: &Expr, count: u64) -> Vec<Lvalue> {
        let mut out = vec![];
        for element in (0..count).map_while(|n| self.element(program, pointer, n)) {
            scalars(program, element, &mut out);
        }
        out
    }

    /// Element `n` behind the first one; `None` behind the end of a declared array.
    fn element(&self, program: &Program, pointer: &Expr, n: u64) -> Option<Lvalue> {
        if let Expr::AddrOf(lv) = pointer
            && lv.ty == self.element
        {
            return beside(program, lv, n);
        }
        let start = pointer.clone().cast(self.element.clone().ptr_to());
        if n == 0 {
            return Some(Lvalue::deref(start));
        }
        let index = Expr::Const(i128::from(n), ir::convert::difference_type(program.model));
        Some(Lvalue::deref(Expr::binary(BinOp::PtrAdd, start, index)))
    }

    /// The pointer's value before the operation: kept in a variable, unless it depends on nothing.
    fn held(&self, graph: &mut Graph<'_>, (proc, edge): (ProcId, EdgeId)) -> Expr {
        let mut reads = false;
        self.pointer.loads(&mut |_| reads = true);
        if !reads {
            return self.pointer.clone();
        }
        let span = graph.program.procs[proc].edges[edge].span;
        let held = graph.temp("block__", self.pointer.ty(), span);
        let op = Op::Assign(graph.program.lvalue(held), self.pointer.clone());
        graph.before(edge, &[Step::Op(op)]);
        graph.program.read(held)
    }
}

/// The location `n` elements behind this one.
fn beside(program: &Program, lv: &Lvalue, n: u64) -> Option<Lvalue> {
    if n == 0 {
        return Some(lv.clone());
    }
    let mut out = lv.clone();
    let Some(Access::Index(Expr::Const(i, ty))) = out.path.pop() else { return None };
    let mut array = match &out.base {
        Base::Var(v) => program.vars[*v].ty.clone(),
        Base::Deref(p) => p.ty().pointee()?.clone(),
    };
    for access in &out.path {
        array = program.part_type(&array, access)?;
    }
    let index = i + i128::from(n);
    let Type::Array(_, Some(length)) = array else { return None };
    (index < i128::from(length)).then(|| out.step(Access::Index(Expr::Const(index, ty)), lv.ty.clone()))
}

/// The scalars in a location; members of unions and elements of long arrays are left out.
fn scalars(program: &Program, lv: Lvalue, out: &mut Vec<Lvalue>) {
    match &lv.ty {
        // There are too many.
        _ if out.len() > MOST => {}
        Type::Record(r) if !program.records[*r].is_union => {
            program.members(&lv, *r).for_each(|member| scalars(program, member, out));
        }
        Type::Array(elem, Some(length)) if *length <= MOST as u64 => {
            for i in 0..*length {
                let index = Access::Index(Expr::int(i128::from(i)));
                scalars(program, lv.clone().step(index, (**elem).clone()), out);
            }
        }
        ty if ty.is_scalar() => out.push(lv),
        _ => {}
    }
}

/// The value of a scalar whose bytes are all the same, where that is simple.
fn filled(program: &Program, lv: &Lvalue, byte: u8) -> Option<Expr> {
    let is_bit_field = match lv.path.last() {
        Some(Access::Field(r, f)) => program.field(*r, *f).bit_offset.is_some(),
        _ => false,
    };
    match &lv.ty {
        ty @ (Type::Int(_) | Type::Ptr(_)) if byte == 0 => Some(Expr::Const(0, ty.clone())),
        ty @ Type::Float(_) if byte == 0 => Some(Expr::Float(0, ty.clone())),
        ty @ Type::Int(int) if int.bits % 8 == 0 && !is_bit_field => {
            let bytes = u128::from_ne_bytes([byte; 16]);
            Some(Expr::Const(int.wrap(bytes as i128), ty.clone()))
        }
        _ => None,
    }
}

impl Block {
    /// The scalars with their values, `None` for those that are not simple; by pointers that have the values of its own.
    fn assignments(&self, program: &Program, to: &Expr, from: Option<&Expr>) -> Vec<(Lvalue, Option<Expr>)> {
        let written = self.to.scalars(program, to, self.count);
        let values: Vec<Option<Expr>> = match self.from.as_ref().zip(from) {
            Some((place, from)) => {
                let read = place.scalars(program, from, self.count);
                read.into_iter().map(|lv| Some(lv.load())).collect()
            }
            None => written.iter().map(|lv| filled(program, lv, self.byte)).collect(),
        };
        written.into_iter().zip(values).collect()
    }

    /// Chooses the scalars that are read, and takes note of what they are read from; whether there was news.
    fn choose(&mut self, program: &Program, oracle: &AliasOracle, read: &mut BTreeSet<Read>) -> bool {
        let before = self.chosen.len();
        let from = self.from.as_ref().map(|place| &place.pointer);
        let all = self.assignments(program, &self.to.pointer, from);
        for (n, (dest, value)) in all.into_iter().enumerate() {
            let is_read = Read::of(oracle, &dest).is_some_and(|place| read.contains(&place));
            let Some(value) = value.filter(|_| is_read) else { continue };
            if let Expr::Load(lv) = value {
                let Some(place) = Read::of(oracle, &lv) else { continue };
                read.insert(place);
            }
            self.chosen.insert(n);
        }
        self.chosen.len() > before
    }

    /// Adds the assignments behind the operation.
    fn write_out(&self, program: &mut Program) {
        let mut graph = Graph::new(program, self.proc);
        let to = self.to.held(&mut graph, (self.proc, self.edge));
        let from = self.from.as_ref().map(|place| place.held(&mut graph, (self.proc, self.edge)));
        let all = self.assignments(graph.program, &to, from.as_ref());
        let chosen = all.into_iter().enumerate().filter(|(n, _)| self.chosen.contains(n));
        let implied = |(dest, value): (Lvalue, Option<Expr>)| Some(Step::Implied(dest, value?));
        let steps: Vec<Step> = chosen.filter_map(|(_, assignment)| implied(assignment)).collect();
        graph.after(self.edge, &steps);
    }
}

/// The reads of all loads.
fn loads(program: &Program, oracle: &AliasOracle) -> BTreeSet<Read> {
    let mut cells = BTreeSet::new();
    for (_, _, edge) in program.edges() {
        ir::visit::loads(&edge.op, &mut |lv| {
            if lv.ty.is_scalar() {
                cells.insert(Read::Cell(oracle.cell(lv)));
            }
        });
    }
    cells
}
