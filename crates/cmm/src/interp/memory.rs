//! Objects with their bytes. Every object is an instance: a variable of one activation, one allocation.
//!
//! A byte is a number, uninitialised, or part of a pointer: pointers into objects are kept beside the bytes, by
//! the offset where they start, since objects have no addresses that a program may count with. A name of an
//! object is never used twice, so that a dangling pointer is recognised.

use super::{Halt, ObjectKind};
use crate::program::ProcId;
use std::collections::BTreeMap;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId {
    index: u32,
    generation: u32,
}

/// What a pointer value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pointer {
    pub(super) target: Target,
    /// Bytes from the start of the target; signed, since a pointer may be moved out and back.
    pub(super) offset: i64,
}

/// What a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Nothing: the offset is a number, 0 for NULL.
    Number,
    /// An object, dead or alive.
    Object(ObjectId),
    /// A procedure.
    Func(ProcId),
}

impl Pointer {
    pub(super) const NULL: Pointer = Pointer { target: Target::Number, offset: 0 };

    pub(super) fn is_null(self) -> bool {
        self == Pointer::NULL
    }
}

/// What stands in some bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cell {
    /// Little-endian number.
    Number(u128),
    /// A whole pointer.
    Pointer(Pointer),
    /// At least one byte is uninitialised.
    Uninit,
}

struct Object {
    generation: u32,
    alive: bool,
    kind: ObjectKind,
    read_only: bool,
    bytes: Vec<u8>,
    /// One bit a byte; only meaningful while `uninit` is not 0.
    uninit_bits: Vec<u64>,
    /// How many bytes are uninitialised.
    uninit: usize,
    pointers: BTreeMap<u64, Pointer>,
}

/// All objects of a run.
pub(super) struct Memory {
    objects: Vec<Object>,
    free: Vec<u32>,
    live_bytes: u64,
    limit: u64,
    pointer_size: usize,
}

/// Contents of a new object.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Contents<'a> {
    Uninit,
    Zero,
    /// Constant bytes.
    Literal(&'a [u8]),
}

impl Memory {
    pub(super) fn new(limit: u64, pointer_size: usize) -> Memory {
        Memory { objects: vec![], free: vec![], live_bytes: 0, limit, pointer_size }
    }

    /// The limit in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether another object of that size stays within the limit; each counts 16 bytes more than it has.
    pub(super) fn has_room(&self, size: u64) -> bool {
        size.checked_add(self.live_bytes + 16).is_some_and(|total| total <= self.limit)
    }

    pub(super) fn create(
        &mut self,
        size: u64,
        kind: ObjectKind,
        contents: Contents,
    ) -> Result<ObjectId, Halt> {
        if !self.has_room(size) {
            return Err(Halt::unsupported("more memory than the limit"));
        }
        self.live_bytes += size + 16;
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.objects.push(Object::empty(kind));
                (self.objects.len() - 1) as u32
            }
        };
        let object = &mut self.objects[index as usize];
        object.reset(size as usize, kind, contents);
        Ok(ObjectId { index, generation: object.generation })
    }

    /// Ends the object's life. The caller knows that it is alive.
    pub(super) fn destroy(&mut self, id: ObjectId) {
        let object = &mut self.objects[id.index as usize];
        object.alive = false;
        self.live_bytes -= object.bytes.len() as u64 + 16;
        if object.bytes.capacity() > 4096 {
            object.bytes = vec![];
            object.uninit_bits = vec![];
        }
        object.pointers.clear();
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

    /// What the object is; `None` when its life has ended.
    pub(super) fn kind(&self, id: ObjectId) -> Option<ObjectKind> {
        self.live(id).map(|o| o.kind)
    }

    /// Its size in bytes; `None` when its life has ended.
    pub(super) fn size(&self, id: ObjectId) -> Option<u64> {
        self.live(id).map(|o| o.bytes.len() as u64)
    }

    /// The object and the range of its bytes that an access touches.
    fn access(&self, p: Pointer, len: u64) -> Result<(usize, usize), Halt> {
        let id = match p.target {
            Target::Object(id) => id,
            Target::Number if p.offset == 0 => return Err(Halt::undefined("access through a null pointer")),
            Target::Number => return Err(Halt::undefined("access through an invalid pointer")),
            Target::Func(_) => return Err(Halt::undefined("access to the bytes of a function")),
        };
        let Some(object) = self.live(id) else {
            return Err(Halt::undefined("access to an object whose life has ended"));
        };
        let start = u64::try_from(p.offset).ok();
        match start.and_then(|s| s.checked_add(len)) {
            Some(end) if end <= object.bytes.len() as u64 => Ok((id.index as usize, p.offset as usize)),
            _ => Err(Halt::undefined("access outside of an object")),
        }
    }

    fn writable(&mut self, p: Pointer, len: u64) -> Result<(usize, usize), Halt> {
        let (object, at) = self.access(p, len)?;
        if self.objects[object].read_only {
            return Err(Halt::undefined("write to a string literal"));
        }
        Ok((object, at))
    }

    /// Reads `len` (at most 16) bytes.
    pub(super) fn load(&self, p: Pointer, len: usize) -> Result<Cell, Halt> {
        let (object, at) = self.access(p, len as u64)?;
        let object = &self.objects[object];
        if object.uninit > 0 && (at..at + len).any(|i| object.is_uninit(i)) {
            return Ok(Cell::Uninit);
        }
        if !object.pointers.is_empty() {
            match object.overlapping(at, len, self.pointer_size) {
                None => {}
                Some(start) if start == at as u64 && len == self.pointer_size => {
                    return Ok(Cell::Pointer(object.pointers[&start]));
                }
                Some(_) => return Err(Halt::unsupported("a read of part of a pointer")),
            }
        }
        let mut raw = [0u8; 16];
        raw[..len].copy_from_slice(&object.bytes[at..at + len]);
        Ok(Cell::Number(u128::from_le_bytes(raw)))
    }

    /// Writes `len` (at most 16) bytes; a pointer has the size of pointers.
    pub(super) fn store(&mut self, p: Pointer, len: usize, cell: Cell) -> Result<(), Halt> {
        let (index, at) = self.writable(p, len as u64)?;
        self.forget_pointers(index, at, len)?;
        let object = &mut self.objects[index];
        match cell {
            Cell::Number(v) => object.bytes[at..at + len].copy_from_slice(&v.to_le_bytes()[..len]),
            Cell::Pointer(pointer) => {
                debug_assert_eq!(len, self.pointer_size, "a pointer fills a cell of its size");
                object.pointers.insert(at as u64, pointer);
            }
            Cell::Uninit => unreachable!("only values are stored"),
        }
        object.initialise(at, len);
        Ok(())
    }

    /// Fills the uninitialised bytes among `len` with those of `value`.
    pub(super) fn fill_uninit(&mut self, p: Pointer, len: usize, value: u128) -> Result<(), Halt> {
        let (index, at) = self.access(p, len as u64)?;
        let object = &mut self.objects[index];
        for (i, b) in value.to_le_bytes().into_iter().take(len).enumerate() {
            if object.is_uninit(at + i) {
                object.bytes[at + i] = b;
                object.initialise(at + i, 1);
            }
        }
        Ok(())
    }

    /// Whether all of the bytes are uninitialised.
    pub(super) fn all_uninit(&self, p: Pointer, len: usize) -> bool {
        let Ok((object, at)) = self.access(p, len as u64) else { return false };
        (at..at + len).all(|i| self.objects[object].is_uninit(i))
    }

    /// The offset from `p` of the first uninitialised byte among `len`, not before `from`.
    pub(super) fn first_uninit(&self, p: Pointer, from: u64, len: u64) -> Result<Option<u64>, Halt> {
        let (object, at) = self.access(p, len)?;
        let object = &self.objects[object];
        if object.uninit == 0 {
            return Ok(None);
        }
        Ok((at + from as usize..at + len as usize).find(|i| object.is_uninit(*i)).map(|i| (i - at) as u64))
    }

    /// Sets `len` bytes to `byte`.
    pub(super) fn set(&mut self, p: Pointer, byte: u8, len: u64) -> Result<(), Halt> {
        if len == 0 {
            return Ok(());
        }
        let (index, at) = self.writable(p, len)?;
        self.forget_pointers(index, at, len as usize)?;
        let object = &mut self.objects[index];
        object.bytes[at..at + len as usize].fill(byte);
        object.initialise(at, len as usize);
        Ok(())
    }

    /// Copies `len` bytes, also between overlapping places. The caller has seen to it that all are initialised.
    pub(super) fn copy(&mut self, dst: Pointer, src: Pointer, len: u64) -> Result<(), Halt> {
        if len == 0 {
            return Ok(());
        }
        let (from, from_at) = self.access(src, len)?;
        let (to, to_at) = self.writable(dst, len)?;
        let len = len as usize;
        let size = self.pointer_size;
        let source = &self.objects[from];
        let mut moved = vec![];
        if !source.pointers.is_empty() {
            let first = (from_at as u64).saturating_sub(size as u64 - 1);
            for (at, pointer) in source.pointers.range(first..(from_at + len) as u64) {
                let whole = *at >= from_at as u64 && *at as usize + size <= from_at + len;
                if !whole {
                    return Err(Halt::unsupported("a copy of part of a pointer"));
                }
                moved.push((*at - from_at as u64 + to_at as u64, *pointer));
            }
        }
        self.forget_pointers(to, to_at, len)?;
        if from == to {
            self.objects[to].bytes.copy_within(from_at..from_at + len, to_at);
        } else {
            let bytes = std::mem::take(&mut self.objects[from].bytes);
            self.objects[to].bytes[to_at..to_at + len].copy_from_slice(&bytes[from_at..from_at + len]);
            self.objects[from].bytes = bytes;
        }
        let object = &mut self.objects[to];
        object.initialise(to_at, len);
        object.pointers.extend(moved);
        Ok(())
    }

    /// Removes the pointers that a write to these bytes overwrites.
    fn forget_pointers(&mut self, object: usize, at: usize, len: usize) -> Result<(), Halt> {
        let size = self.pointer_size;
        let object = &mut self.objects[object];
        if object.pointers.is_empty() {
            return Ok(());
        }
        while let Some(start) = object.overlapping(at, len, size) {
            let whole = start >= at as u64 && start as usize + size <= at + len;
            if !whole {
                return Err(Halt::unsupported("a write over part of a pointer"));
            }
            object.pointers.remove(&start);
        }
        Ok(())
    }

    /// Ends the life of an allocated object, as `free` does.
    pub(super) fn release(&mut self, p: Pointer) -> Result<(), Halt> {
        let Target::Object(id) = p.target else { return Err(Halt::undefined("free of an invalid pointer")) };
        match self.live(id) {
            None => Err(Halt::undefined("free of an object whose life has ended")),
            Some(Object { kind: ObjectKind::Heap(..), .. }) if p.offset == 0 => {
                self.destroy(id);
                Ok(())
            }
            Some(_) => Err(Halt::undefined("free of something that is no allocated object")),
        }
    }
}

impl Object {
    fn empty(kind: ObjectKind) -> Object {
        Object {
            generation: 0,
            alive: false,
            kind,
            read_only: false,
            bytes: vec![],
            uninit_bits: vec![],
            uninit: 0,
            pointers: BTreeMap::new(),
        }
    }

    fn reset(&mut self, size: usize, kind: ObjectKind, contents: Contents) {
        self.alive = true;
        self.kind = kind;
        self.read_only = false;
        self.uninit = 0;
        self.bytes.clear();
        match contents {
            Contents::Literal(bytes) => {
                self.bytes.extend_from_slice(bytes);
                self.read_only = true;
            }
            Contents::Zero => self.zero(size),
            Contents::Uninit => {
                self.zero(size);
                self.uninit = size;
                self.uninit_bits.clear();
                self.uninit_bits.resize(size.div_ceil(64), u64::MAX);
            }
        }
    }

    fn zero(&mut self, size: usize) {
        if size > self.bytes.capacity() {
            // Fresh zero pages cost nothing until they are touched.
            self.bytes = vec![0; size];
        } else {
            self.bytes.resize(size, 0);
        }
    }

    fn is_uninit(&self, i: usize) -> bool {
        self.uninit > 0 && self.uninit_bits[i / 64] >> (i % 64) & 1 == 1
    }

    fn initialise(&mut self, at: usize, len: usize) {
        if self.uninit == 0 {
            return;
        }
        let mut i = at;
        while i < at + len {
            let (word, bit) = (i / 64, i % 64);
            let n = (64 - bit).min(at + len - i);
            let mask = if n == 64 { u64::MAX } else { ((1 << n) - 1) << bit };
            self.uninit -= (self.uninit_bits[word] & mask).count_ones() as usize;
            self.uninit_bits[word] &= !mask;
            i += n;
        }
    }

    /// Where a pointer starts that shares a byte with the range.
    fn overlapping(&self, at: usize, len: usize, pointer_size: usize) -> Option<u64> {
        let first = (at as u64).saturating_sub(pointer_size as u64 - 1);
        self.pointers.range(first..(at + len) as u64).next().map(|(start, _)| *start)
    }
}
