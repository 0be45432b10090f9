//! What fills and copies of small blocks give to members, as assignments behind them: `memset(&s, 0, sizeof s)` is
//! followed by `s.a = 0; s.b = 0;`, `memcpy(&t, &s, sizeof t)` by `t.a = s.a; …`. The block operation has done so
//! already, hence executions pass over these edges ([`EdgeKind::Implied`]); proofs know by them what a block of bytes
//! means for values. Only members that some load of the program may read are written out, each at the type at which it
//! is read, and copies only where the two blocks are parts of different objects: they do not overlap.

use super::cells::{CellId, CellKind};
use super::oracle::AliasOracle;
use crate::expr::{Access, Base, BinOp, Expr, Lvalue};
use crate::program::{Edge, EdgeId, EdgeKind, LocId, Location, Op, ProcId, Program, Var, VarId, VarKind};
use crate::types::{RecordId, Type};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// Most scalars that a block is written out as.
const MOST: usize = 32;

/// A block of memory as elements of a type.
#[derive(Clone)]
struct Place {
    /// A pointer to the first element, without conversions around it.
    pointer: Expr,
    element: Type,
}

/// A scalar of a block: which element, and the way in it.
#[derive(Clone)]
struct Part {
    element: u64,
    path: Vec<(Access, Type)>,
    ty: Type,
}

/// Places that are read alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    /// Those of a cell.
    Cell(CellId),
    /// A member of a variable, of which the oracle knows nothing as the program only touches it in blocks; indices left out.
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

/// What a block operation writes.
struct Block {
    proc: ProcId,
    edge: EdgeId,
    to: Place,
    /// From where; a fill has none.
    from: Option<Place>,
    /// The byte of a fill.
    byte: u8,
    /// Those that matter come first, as far as is known: `chosen` of them.
    parts: Vec<Part>,
    chosen: usize,
}

/// Adds the assignments; whether there are any. The oracle is the program's before.
pub(crate) fn spell_out(program: &mut Program, oracle: &AliasOracle) -> bool {
    let mut blocks = blocks(program, oracle);
    if blocks.is_empty() {
        return false;
    }
    let mut read = loads(program, oracle);
    // What is copied is read where the copy is.
    while blocks.iter_mut().fold(false, |news, block| news | block.choose(program, oracle, &mut read)) {}
    blocks.retain(|block| block.chosen > 0);
    for block in &blocks {
        block.write_out(program);
    }
    !blocks.is_empty()
}

/// The block operations of known, small length on memory whose type is known.
fn blocks(program: &Program, oracle: &AliasOracle) -> Vec<Block> {
    let reachable = super::reachable(program, oracle);
    let mut out = vec![];
    for (proc, edge, Edge { op, .. }) in program.edges().filter(|(p, ..)| reachable[*p]) {
        let block = match op {
            Op::MemSet { ptr, byte: Expr::Const(byte, _), len } => {
                let parts = Place::of(program, ptr).zip(length(len));
                let parts = parts.and_then(|(to, len)| Some((to.parts(program, len)?, to)));
                parts.map(|(parts, to)| (parts, to, None, *byte as u8))
            }
            Op::MemCopy { dst, src, len } if apart(oracle, dst, src) => {
                let (to, from) = (Place::of(program, dst), Place::of(program, src));
                // The one that is no more than bytes is taken as what the other one is.
                let element = to.as_ref().or(from.as_ref()).map(|place| place.element.clone());
                length(len).zip(element).and_then(|(len, element)| {
                    let place = |p: Option<Place>, e: &Expr| {
                        p.unwrap_or(Place { pointer: plain(e).clone(), element: element.clone() })
                    };
                    let (to, from) = (place(to, dst), place(from, src));
                    let parts = to.parts(program, len)?;
                    (to.element == from.element).then_some((parts, to, Some(from), 0))
                })
            }
            _ => None,
        };
        if let Some((parts, to, from, byte)) = block {
            out.push(Block { proc, edge, to, from, byte, parts, chosen: 0 });
        }
    }
    out
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

    /// The scalars of `len` bytes; `None` where they are too many or no whole elements.
    fn parts(&self, program: &Program, len: u64) -> Option<Vec<Part>> {
        let size = program.size_of(&self.element)?;
        if !len.is_multiple_of(size) || len / size > MOST as u64 {
            return None;
        }
        let mut out = vec![];
        for element in 0..len / size {
            let whole = Part { element, path: vec![], ty: self.element.clone() };
            whole.scalars(program, &mut out);
        }
        (out.len() <= MOST).then_some(out)
    }

    /// The part as a location, from a pointer that has this place's value.
    fn part(&self, program: &Program, pointer: &Expr, part: &Part) -> Option<Lvalue> {
        let first = match pointer {
            Expr::AddrOf(lv) if lv.ty == self.element => self.beside(program, lv, part.element)?,
            pointer => {
                let start = pointer.clone().cast(self.element.clone().ptr_to());
                let index =
                    Expr::Const(i128::from(part.element), crate::convert::difference_type(program.model));
                let moved = || Expr::binary(BinOp::PtrAdd, start.clone(), index);
                Lvalue::deref(if part.element == 0 { start.clone() } else { moved() })
            }
        };
        let step = |lv: Lvalue, (access, ty): &(Access, Type)| lv.step(access.clone(), ty.clone());
        Some(part.path.iter().fold(first, step))
    }

    /// The element so many behind a location.
    fn beside(&self, program: &Program, lv: &Lvalue, n: u64) -> Option<Lvalue> {
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
}

impl Part {
    /// The scalars in it; members of unions and elements of long arrays are left out.
    fn scalars(self, program: &Program, out: &mut Vec<Part>) {
        if out.len() > MOST {
            return;
        }
        let inner = |access: Access, ty: Type| {
            let mut path = self.path.clone();
            path.push((access, ty.clone()));
            Part { element: self.element, path, ty }
        };
        match &self.ty {
            Type::Record(r) if !program.records[*r].is_union => {
                for (n, field) in program.records[*r].fields.iter().enumerate() {
                    inner(Access::Field(*r, n as u32), field.ty.clone()).scalars(program, out);
                }
            }
            Type::Array(elem, Some(length)) if *length <= MOST as u64 => {
                for i in 0..*length {
                    let index = Access::Index(Expr::int(i128::from(i)));
                    inner(index, (**elem).clone()).scalars(program, out);
                }
            }
            ty if ty.is_scalar() => out.push(self),
            _ => {}
        }
    }

    /// The value whose bytes are all the same, where that is simple.
    fn filled(&self, program: &Program, byte: u8) -> Option<Expr> {
        let is_bit_field = match self.path.last() {
            Some((Access::Field(r, f), _)) => program.field(*r, *f).bit_offset.is_some(),
            _ => false,
        };
        match &self.ty {
            ty @ (Type::Int(_) | Type::Ptr(_)) if byte == 0 => Some(Expr::Const(0, ty.clone())),
            ty @ Type::Float(_) if byte == 0 => Some(Expr::Float(0, ty.clone())),
            ty @ Type::Int(int) if int.bits % 8 == 0 && !is_bit_field => {
                let bytes = u128::from_ne_bytes([byte; 16]);
                Some(Expr::Const(int.wrap(bytes as i128), ty.clone()))
            }
            _ => None,
        }
    }
}

impl Block {
    /// Chooses the parts that are read, and takes note of what they are read from; whether there was news.
    fn choose(&mut self, program: &Program, oracle: &AliasOracle, read: &mut BTreeSet<Read>) -> bool {
        let before = self.chosen;
        for n in self.chosen..self.parts.len() {
            let part = &self.parts[n];
            let known = |place: &Place| Read::of(oracle, &place.part(program, &place.pointer, part)?);
            if !known(&self.to).is_some_and(|place| read.contains(&place)) {
                continue;
            }
            match &self.from {
                Some(from) => match known(from) {
                    Some(place) => _ = read.insert(place),
                    None => continue,
                },
                None if part.filled(program, self.byte).is_none() => continue,
                None => {}
            }
            self.parts.swap(n, self.chosen);
            self.chosen += 1;
        }
        self.chosen > before
    }

    /// Adds the assignments behind the operation.
    fn write_out(&self, program: &mut Program) {
        let to = self.held(program, &self.to);
        let from = self.from.as_ref().map(|from| (from, self.held(program, from)));
        let mut at = program.procs[self.proc].edges[self.edge].dst;
        for part in self.parts[..self.chosen].iter().rev() {
            let Some(dest) = self.to.part(program, &to, part) else { continue };
            let value = match &from {
                Some((place, from)) => place.part(program, from, part).map(Lvalue::load),
                None => part.filled(program, self.byte),
            };
            let Some(value) = value else { continue };
            let src = self.location(program);
            self.edge(program, src, at, Op::Assign(dest, value), EdgeKind::Implied);
            at = src;
        }
        program.procs[self.proc].edges[self.edge].dst = at;
    }

    /// The pointer's value, whatever the operation writes: held by a variable, unless it depends on nothing.
    fn held(&self, program: &mut Program, place: &Place) -> Expr {
        let mut reads = false;
        place.pointer.loads(&mut |_| reads = true);
        if !reads {
            return place.pointer.clone();
        }
        let (ty, span) = (place.pointer.ty(), program.procs[self.proc].edges[self.edge].span);
        let name = free_name(program, self.proc);
        let held = program.vars.push(Var { name, ty, kind: VarKind::Temp(self.proc), span, data: None });
        program.procs[self.proc].locals.push(held);
        let start = program.procs[self.proc].edges[self.edge].src;
        let behind = self.location(program);
        program.procs[self.proc].edges[self.edge].src = behind;
        let op = Op::Assign(program.lvalue(held), place.pointer.clone());
        self.edge(program, start, behind, op, EdgeKind::Internal);
        program.read(held)
    }

    fn location(&self, program: &mut Program) -> LocId {
        let span = program.procs[self.proc].edges[self.edge].span;
        program.procs[self.proc].locations.push(Location { span, labels: vec![], loop_head: false })
    }

    fn edge(&self, program: &mut Program, src: LocId, dst: LocId, op: Op, kind: EdgeKind) {
        let span = program.procs[self.proc].edges[self.edge].span;
        program.procs[self.proc].edges.push(Edge { src, dst, op, span, kind });
    }
}

/// A name for a variable of the procedure.
fn free_name(program: &Program, p: ProcId) -> String {
    let proc = &program.procs[p];
    let own = proc.formals.iter().chain(&proc.locals).chain(&program.globals);
    let taken: BTreeSet<&str> = own.map(|v| program.vars[*v].name.as_str()).collect();
    let mut names = (1u32..).map(|n| format!("block__{n}"));
    names.find(|n| !taken.contains(n.as_str())).expect("there are more numbers than names")
}

/// What some load may read.
fn loads(program: &Program, oracle: &AliasOracle) -> BTreeSet<Read> {
    let mut cells = BTreeSet::new();
    for (_, _, edge) in program.edges() {
        super::visit::loads(&edge.op, &mut |lv| {
            if lv.ty.is_scalar() {
                cells.insert(Read::Cell(oracle.cell(lv)));
            }
        });
    }
    cells
}
