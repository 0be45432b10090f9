//! Objects with their bytes. Every object is an instance: a variable of one activation, one allocation.
//!
//! A byte is a number, uninitialised, or part of a pointer: pointers into objects are kept beside the bytes, by
//! the offset where they start, since objects have no addresses to compute with. An object id is never reused,
//! so that a dangling pointer is recognised.

mod blocks;

use super::address::HEAP_ALIGN;
use super::bytes::{Bytes, Contents};
use super::values::Val;
use super::{Halt, ObjectKind};
use super::{UndefinedBehaviour, Unsupported};
use ir::expr::UnOp;
use ir::program::{ObjectQuery, ProcId};
use ir::types::DataModel;
use std::collections::{BTreeMap, BTreeSet};

/// The object at fixed addresses.
const FIXED: ObjectId = ObjectId { index: 0, generation: 0 };
/// Bytes that each object counts besides its own.
const OVERHEAD: u64 = 16;
/// Bytes that a copy moves at once.
const COPIED_AT_ONCE: u64 = 4096;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId {
    index: u32,
    generation: u32,
}

/// A pointer value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pointer {
    pub(super) target: Target,
    /// Bytes from the start of the target; signed, since a pointer may be moved out and back.
    pub(super) offset: i64,
}

/// The target of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Target {
    /// No object: the offset is a number, 0 for NULL.
    Number(Region),
    /// An object, dead or alive.
    Object(ObjectId),
    /// A procedure.
    Func(ProcId),
}

/// The memory at an address that is a number. It is not part of the value: pointers with one number are equal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    /// Nothing: NULL, perhaps moved.
    Null,
    /// Memory that the program names by its number, as the registers of devices.
    Fixed,
    /// Unknown: the number comes from outside, such as an error code in a pointer.
    Unknown,
    /// Nothing: the pointer has no value, or the number is none that the program takes for an address.
    Nowhere,
}

impl PartialEq for Region {
    fn eq(&self, _: &Region) -> bool {
        true
    }
}

impl Eq for Region {}

impl std::hash::Hash for Region {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl Pointer {
    pub(super) const NULL: Pointer = Pointer { target: Target::Number(Region::Null), offset: 0 };

    pub(super) fn is_null(self) -> bool {
        self == Pointer::NULL
    }
}

/// The contents of some bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cell {
    /// Little-endian number.
    Number(u128),
    /// A whole pointer.
    Pointer(Pointer),
    /// One byte of a pointer.
    Part(Pointer, u8),
    /// At least one byte is uninitialised.
    Uninit,
}

pub(super) struct Object {
    generation: u32,
    alive: bool,
    kind: ObjectKind,
    read_only: bool,
    /// A function without body got its address, and may have written it at any time since.
    shared: bool,
    /// Its size is only the least that it can have.
    can_be_larger: bool,
    /// Its alignment, if it was allocated.
    align: i128,
    bytes: Bytes,
    pub(super) pointers: BTreeMap<u64, Pointer>,
    /// Single bytes of pointers, with their numbers.
    pub(super) parts: BTreeMap<u64, (Pointer, u8)>,
}

impl Object {
    fn new(kind: ObjectKind) -> Object {
        Object {
            generation: 0,
            alive: false,
            kind,
            read_only: false,
            shared: false,
            can_be_larger: false,
            align: HEAP_ALIGN,
            bytes: Bytes::default(),
            pointers: BTreeMap::new(),
            parts: BTreeMap::new(),
        }
    }
}

/// All objects of a run.
pub(super) struct Memory {
    /// The first one is what lies at fixed addresses.
    objects: Vec<Object>,
    free: Vec<u32>,
    live_bytes: u64,
    limit: u64,
    /// The most bytes of an object.
    largest: u64,
    pointer_size: usize,
}

impl Memory {
    pub(super) fn new(limit: u64, model: DataModel) -> Memory {
        let pointer_size = usize::from(model.pointer_bits() / 8);
        let largest = model.largest_object();
        let mut fixed = Object::new(ObjectKind::Fresh);
        fixed.alive = true;
        fixed.bytes.reset(u64::MAX >> (64 - 8 * pointer_size), Contents::Uninit);
        Memory { objects: vec![fixed], free: vec![], live_bytes: 0, limit, largest, pointer_size }
    }

    /// The living object that the pointer leads into, and the offset in it, which may be outside of its bounds.
    pub(super) fn at(&self, p: Pointer) -> Option<(ObjectId, i64)> {
        match p.target {
            Target::Object(id) => self.live(id).map(|_| (id, p.offset)),
            Target::Number(Region::Fixed) => Some((FIXED, self.number(p) as i64)),
            Target::Number(_) | Target::Func(_) => None,
        }
    }

    /// How far the pointer may be from each end of an object of unknown size, and from the ends of all memory where it is
    /// a number; `None` for other objects. Nothing is known to be outside.
    fn unknown_extent(&self, p: Pointer) -> Option<(i128, i128)> {
        let room = (1i128 << (8 * self.pointer_size - 2)) - 1;
        match p.target {
            Target::Object(id) if self.is_from_outside(id) => {
                let offset = i128::from(p.offset).clamp(-room / 2, room / 2);
                Some((room + offset, room - offset))
            }
            Target::Number(Region::Fixed | Region::Unknown) if !p.is_null() => {
                Some((i128::from(self.number(p)).min(room), room))
            }
            Target::Object(_) | Target::Number(_) | Target::Func(_) => None,
        }
    }

    /// The address that is a number.
    fn number(&self, p: Pointer) -> u64 {
        (p.offset as u64) & (u64::MAX >> (64 - 8 * self.pointer_size))
    }

    /// Whether the object was supplied: its size is unknown, its contents have a value, and it may be one that
    /// was allocated elsewhere.
    fn is_from_outside(&self, id: ObjectId) -> bool {
        self.kind(id) == Some(ObjectKind::Fresh)
    }

    /// The limit in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether an object of that size is possible: its offsets are numbers, and it stays within the limit.
    pub(super) fn has_room(&self, size: u64) -> bool {
        size <= self.largest && self.live_bytes + Bytes::initial_cost(size) + OVERHEAD <= self.limit
    }

    pub(super) fn create(
        &mut self,
        size: u64,
        kind: ObjectKind,
        contents: Contents,
    ) -> Result<ObjectId, Halt> {
        if !self.has_room(size) {
            return Err(over_limit());
        }
        self.live_bytes += Bytes::initial_cost(size) + OVERHEAD;
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.objects.push(Object::new(kind));
                (self.objects.len() - 1) as u32
            }
        };
        let object = &mut self.objects[index as usize];
        (object.alive, object.kind) = (true, kind);
        (object.shared, object.can_be_larger, object.align) = (false, false, HEAP_ALIGN);
        object.read_only = matches!(contents, Contents::Literal(_));
        object.bytes.reset(size, contents);
        Ok(ObjectId { index, generation: object.generation })
    }

    /// Ends the object's life. The caller knows that it is alive.
    pub(super) fn destroy(&mut self, id: ObjectId) {
        let object = &mut self.objects[id.index as usize];
        object.alive = false;
        self.live_bytes -= object.bytes.cost() + OVERHEAD;
        object.bytes.release();
        object.pointers.clear();
        object.parts.clear();
        // An exhausted name is retired instead of being used again.
        if let Some(next) = object.generation.checked_add(1) {
            object.generation = next;
            self.free.push(id.index);
        }
    }

    fn live(&self, id: ObjectId) -> Option<&Object> {
        let object = &self.objects[id.index as usize];
        (object.generation == id.generation && object.alive).then_some(object)
    }

    /// The kind of the object; `None` when its life has ended.
    pub(super) fn kind(&self, id: ObjectId) -> Option<ObjectKind> {
        self.live(id).map(|o| o.kind)
    }

    /// The alignment of the object, where it was allocated; `None` when its life has ended.
    pub(super) fn align(&self, id: ObjectId) -> Option<i128> {
        self.live(id).map(|o| o.align)
    }

    /// Sets the requested alignment of an allocated object.
    pub(super) fn set_align(&mut self, id: ObjectId, align: i128) {
        if self.live(id).is_some() {
            let object = &mut self.objects[id.index as usize];
            object.align = object.align.max(align);
        }
    }

    /// Its size in bytes; `None` when its life has ended.
    pub(super) fn size(&self, id: ObjectId) -> Option<u64> {
        self.live(id).map(|o| o.bytes.size())
    }

    /// Whether the pointer stands in a living object, or at its end, or is a procedure's.
    pub(super) fn is_inside(&self, p: Pointer) -> bool {
        match p.target {
            Target::Object(id) => {
                self.size(id).is_some_and(|n| u64::try_from(p.offset).is_ok_and(|o| o <= n))
            }
            Target::Func(_) => p.offset == 0,
            Target::Number(_) => false,
        }
    }

    /// The answer to a question about the object that the pointer points into.
    pub(super) fn inspect(&self, query: ObjectQuery, p: Pointer) -> i128 {
        let object = match p.target {
            Target::Object(id) => self.live(id),
            Target::Number(_) | Target::Func(_) => None,
        };
        if let Some((before, left)) = self.unknown_extent(p) {
            return match query {
                ObjectQuery::Size => before + left,
                ObjectQuery::Offset => before,
                ObjectQuery::Live | ObjectQuery::Initialised => 1,
                // Its end may come anywhere.
                ObjectQuery::Text | ObjectQuery::TextLength => 0,
                ObjectQuery::Constant => 0,
                ObjectQuery::Freeable => i128::from(!matches!(p.target, Target::Number(Region::Fixed))),
            };
        }
        let Some(object) = object else {
            return i128::from(query == ObjectQuery::Freeable && p.is_null());
        };
        match query {
            ObjectQuery::Size => i128::from(object.bytes.size()),
            ObjectQuery::Offset => i128::from(p.offset),
            // Asked with a length, by the caller.
            ObjectQuery::Live | ObjectQuery::Initialised => 1,
            ObjectQuery::Text => self.end_of_text(object, p),
            ObjectQuery::TextLength => self.text_length(object, p),
            // For variables the caller knows it.
            ObjectQuery::Constant => i128::from(object.read_only),
            ObjectQuery::Freeable => i128::from(p.offset == 0 && matches!(object.kind, ObjectKind::Heap(..))),
        }
    }

    /// How many elements there are at and behind the pointer, or before it.
    pub(super) fn extent(&self, op: UnOp, v: Val) -> Result<i128, Halt> {
        let Val::Ptr(p) = v else { return Ok(0) };
        let size = match p.target {
            Target::Object(id) => self.size(id).ok_or(Halt::Undefined(UndefinedBehaviour::DeadObject))?,
            Target::Number(_) | Target::Func(_) => 0,
        };
        let (size, offset) = (i128::from(size), i128::from(p.offset));
        let (before, left) = self.unknown_extent(p).unwrap_or((offset, size - offset));
        Ok(match op {
            UnOp::Left(unit) => left.div_euclid(i128::from(unit)),
            UnOp::Before(unit) => before.div_euclid(i128::from(unit)),
            _ => panic!("the other operators are not about objects"),
        })
    }

    /// The objects that can be reached from the pointers, and whether a procedure can.
    pub(super) fn reached(&self, roots: Vec<Pointer>) -> (BTreeSet<ObjectId>, bool) {
        let (mut objects, mut procedures) = (BTreeSet::new(), false);
        let mut open = roots;
        while let Some(p) = open.pop() {
            match p.target {
                Target::Number(_) => {}
                Target::Func(_) => procedures = true,
                Target::Object(id) => {
                    if let Some(object) = self.live(id)
                        && objects.insert(id)
                    {
                        open.extend(object.pointers.values());
                        open.extend(object.parts.values().map(|(p, _)| p));
                    }
                }
            }
        }
        (objects, procedures)
    }

    /// Whether the object cannot be written (a string literal).
    pub(super) fn is_read_only(&self, id: ObjectId) -> bool {
        self.live(id).is_some_and(|o| o.read_only)
    }

    /// How many bytes a string at the pointer has, without its NUL.
    fn text_length(&self, object: &Object, p: Pointer) -> i128 {
        let size = object.bytes.size();
        let Some(start) = u64::try_from(p.offset).ok().filter(|at| *at < size) else { return 0 };
        let mut byte = [0u8];
        let is_end = |at: &u64| {
            object.bytes.read(*at, &mut byte);
            byte[0] == 0 && object.pointer_at(*at, 1, self.pointer_size).is_none()
        };
        let end = (start..object.bytes.first_uninit(start, size).unwrap_or(size)).find(is_end);
        i128::from(end.unwrap_or(size) - start)
    }

    /// How a walk from the pointer to the end of a string ends, as defined by [`ObjectQuery::Text`].
    fn end_of_text(&self, object: &Object, p: Pointer) -> i128 {
        let size = object.bytes.size();
        let Some(start) = u64::try_from(p.offset).ok().filter(|at| *at < size) else { return 1 };
        let unset = object.bytes.first_uninit(start, size);
        let mut byte = [0u8];
        for at in start..unset.unwrap_or(size) {
            object.bytes.read(at, &mut byte);
            // The bytes of pointers are kept elsewhere, and are not all zero.
            let of_pointer = object.pointer_at(at, 1, self.pointer_size).is_some();
            if byte[0] == 0 && !of_pointer {
                return 0;
            }
        }
        if unset.is_none() {
            1
        } else if object.shared {
            0
        } else {
            2
        }
    }

    /// Whether all of the bytes have values, or may have got them from outside.
    pub(super) fn initialised(&self, p: Pointer, len: u64) -> bool {
        if self.unknown_extent(p).is_some() {
            return true;
        }
        let Ok((object, at)) = self.access(p, len) else { return false };
        let object = &self.objects[object];
        object.shared || object.bytes.first_uninit(at, at + len).is_none()
    }

    /// Whether a function of the library may access the bytes.
    pub(super) fn admits(&self, p: Pointer, len: u64, writes: bool) -> Result<(), Halt> {
        if len == 0 {
            return Ok(());
        }
        let (object, _) = self.access(p, len)?;
        if writes && self.objects[object].read_only {
            return Err(Halt::Undefined(UndefinedBehaviour::WriteToLiteral));
        }
        Ok(())
    }

    /// A function without body gets these values: it may write what they lead to from now on, and so whatever is
    /// stored there later.
    pub(super) fn share(&mut self, with: impl Iterator<Item = Pointer>) {
        let mut work: Vec<usize> = with.filter_map(|p| self.target(p)).collect();
        let known = self.objects.iter().enumerate().filter(|(_, o)| o.alive && o.shared);
        work.extend(known.flat_map(|(_, o)| o.pointers.values()).filter_map(|p| self.target(*p)));
        while let Some(index) = work.pop() {
            if std::mem::replace(&mut self.objects[index].shared, true) {
                continue;
            }
            let next = self.objects[index].pointers.values();
            work.extend(next.filter_map(|p| self.target(*p)));
        }
    }

    /// The living object that a pointer leads to.
    fn target(&self, p: Pointer) -> Option<usize> {
        let Target::Object(id) = p.target else { return None };
        self.live(id).map(|_| id.index as usize)
    }

    /// The object that an access touches, and where.
    fn access(&self, p: Pointer, len: u64) -> Result<(usize, u64), Halt> {
        let id = match p.target {
            Target::Object(id) => id,
            Target::Number(Region::Fixed) if p.offset != 0 => {
                let at = self.number(p);
                let end = at.checked_add(len).filter(|end| *end <= self.objects[0].bytes.size());
                return end.map(|_| (0, at)).ok_or(unknown_address());
            }
            Target::Number(Region::Unknown) if p.offset != 0 => return Err(unknown_address()),
            Target::Number(Region::Nowhere) if p.offset != 0 => {
                return Err(Halt::Undefined(UndefinedBehaviour::InvalidPointer));
            }
            Target::Number(_) => return Err(Halt::Undefined(UndefinedBehaviour::NullAccess)),
            Target::Func(_) => return Err(Halt::Undefined(UndefinedBehaviour::FunctionBytes)),
        };
        let Some(object) = self.live(id) else {
            return Err(Halt::Undefined(UndefinedBehaviour::DeadObject));
        };
        let start = u64::try_from(p.offset).ok();
        match start.and_then(|s| s.checked_add(len)) {
            Some(end) if end <= object.bytes.size() => Ok((id.index as usize, p.offset as u64)),
            _ if start.is_some() && object.can_be_larger || object.kind == ObjectKind::Fresh => {
                Err(Halt::Unsupported(Unsupported::IncompleteObject))
            }
            _ => Err(Halt::Undefined(UndefinedBehaviour::OutsideObject)),
        }
    }

    /// From now on accesses behind the object's end are not known to be outside of it.
    pub(super) fn may_be_larger(&mut self, id: ObjectId) {
        self.objects[id.index as usize].can_be_larger = true;
    }

    /// As [`access`](Self::access), for writing: what stands there is forgotten.
    fn writable(&mut self, p: Pointer, len: u64) -> Result<(usize, u64), Halt> {
        let (index, at) = self.access(p, len)?;
        if self.objects[index].read_only {
            return Err(Halt::Undefined(UndefinedBehaviour::WriteToLiteral));
        }
        if self.live_bytes + self.objects[index].bytes.write_cost(at, len) > self.limit {
            return Err(over_limit());
        }
        self.objects[index].forget_pointers(at, len, self.pointer_size);
        Ok((index, at))
    }

    /// Does a write, and counts the space that it takes.
    fn change(&mut self, index: usize, write: impl FnOnce(&mut Bytes)) {
        let bytes = &mut self.objects[index].bytes;
        let before = bytes.cost();
        write(bytes);
        self.live_bytes = self.live_bytes + bytes.cost() - before;
    }

    /// Reads `len` (at most 16) bytes.
    pub(super) fn load(&self, p: Pointer, len: usize) -> Result<Cell, Halt> {
        let (object, at) = self.access(p, len as u64)?;
        let object = &self.objects[object];
        if object.bytes.first_uninit(at, at + len as u64).is_some() {
            return Ok(Cell::Uninit);
        }
        if !object.pointers.is_empty() || !object.parts.is_empty() {
            match object.pointer_at(at, len, self.pointer_size) {
                None => {}
                Some(Cell::Uninit) => return Err(Halt::Unsupported(Unsupported::PartOfPointer)),
                Some(cell) => return Ok(cell),
            }
        }
        let mut raw = [0u8; 16];
        object.bytes.read(at, &mut raw[..len]);
        Ok(Cell::Number(u128::from_le_bytes(raw)))
    }

    /// Writes `len` (at most 16) bytes; a pointer has the size of pointers.
    pub(super) fn store(&mut self, p: Pointer, len: usize, cell: Cell) -> Result<(), Halt> {
        let (index, at) = self.writable(p, len as u64)?;
        let number = match cell {
            Cell::Number(v) => v,
            Cell::Pointer(pointer) => {
                assert_eq!(len, self.pointer_size, "a pointer fills a cell of its size");
                self.objects[index].pointers.insert(at, pointer);
                0
            }
            Cell::Part(pointer, n) => {
                self.objects[index].parts.insert(at, (pointer, n));
                self.objects[index].join_parts(at, self.pointer_size);
                0
            }
            Cell::Uninit => unreachable!("only values are stored"),
        };
        self.change(index, |bytes| bytes.write(at, &number.to_le_bytes()[..len]));
        Ok(())
    }
}

fn over_limit() -> Halt {
    Halt::Unsupported(Unsupported::Memory)
}

fn unknown_address() -> Halt {
    Halt::Unsupported(Unsupported::UnknownAddress)
}
