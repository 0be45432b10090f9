//! Blocks of bytes: filled, copied, freed.

use super::{COPIED_AT_ONCE, Memory, Object, ObjectId, Pointer, Region, Target, over_limit, unknown_address};
use crate::{Halt, ObjectKind, UndefinedBehaviour};

impl Memory {
    /// Fills the uninitialised bytes among `len` (at most 16) with those of `value`.
    pub(crate) fn fill_uninit(&mut self, p: Pointer, len: usize, value: u128) -> Result<(), Halt> {
        let (index, at) = self.access(p, len as u64)?;
        if self.live_bytes + self.objects[index].bytes.write_cost(at, len as u64) > self.limit {
            return Err(over_limit());
        }
        let new = value.to_le_bytes();
        self.change(index, |bytes| {
            let end = at + len as u64;
            let mut from = at;
            while let Some(i) = bytes.first_uninit(from, end) {
                bytes.write(i, &new[(i - at) as usize..=(i - at) as usize]);
                from = i + 1;
            }
        });
        Ok(())
    }

    /// The string that starts there, without its NUL and cut off after `longest` bytes; `None` where there is no
    /// living object, or where the bytes have no values.
    pub(crate) fn text_at(&self, p: Pointer, longest: usize) -> Option<Vec<u8>> {
        let (object, at) = self.access(p, 1).ok()?;
        let object = &self.objects[object];
        let end = object.bytes.size().min(at + longest as u64);
        let mut out = vec![];
        for i in at..end {
            let mut byte = [0u8];
            if object.bytes.first_uninit(i, i + 1).is_some()
                || object.pointer_at(i, 1, self.pointer_size).is_some()
            {
                return None;
            }
            object.bytes.read(i, &mut byte);
            if byte[0] == 0 {
                return Some(out);
            }
            out.push(byte[0]);
        }
        (end < object.bytes.size()).then_some(out)
    }

    /// Whether all of the bytes are uninitialised.
    pub(crate) fn all_uninit(&self, p: Pointer, len: usize) -> bool {
        let Ok((object, at)) = self.access(p, len as u64) else { return false };
        let bytes = &self.objects[object].bytes;
        (at..at + len as u64).all(|i| bytes.first_uninit(i, i + 1).is_some())
    }

    /// The offset from `p` of the first uninitialised byte among `len`, not before `from`.
    pub(crate) fn first_uninit(&self, p: Pointer, from: u64, len: u64) -> Result<Option<u64>, Halt> {
        let (object, at) = self.access(p, len)?;
        Ok(self.objects[object].bytes.first_uninit(at + from, at + len).map(|i| i - at))
    }

    /// Sets `len` bytes to `byte`.
    pub(crate) fn set(&mut self, p: Pointer, byte: u8, len: u64) -> Result<(), Halt> {
        if len > 0 {
            let (index, at) = self.writable(p, len)?;
            self.change(index, |bytes| bytes.fill(at, byte, len));
        }
        Ok(())
    }

    /// Takes their values from `len` bytes.
    pub(crate) fn forget(&mut self, p: Pointer, len: u64) -> Result<(), Halt> {
        let (index, at) = self.writable(p, len)?;
        self.change(index, |bytes| bytes.forget(at, len));
        Ok(())
    }

    /// Copies `len` bytes, also between overlapping places. Bytes without a value have none where they are copied to.
    pub(crate) fn copy(&mut self, dst: Pointer, src: Pointer, len: u64) -> Result<(), Halt> {
        if len == 0 {
            return Ok(());
        }
        let (from, from_at) = self.access(src, len)?;
        let mut without = vec![];
        while let Some(at) = {
            let start = without.last().map_or(from_at, |last| last + 1);
            self.objects[from].bytes.first_uninit(start, from_at + len)
        } {
            without.push(at);
        }
        let (whole, single) = self.objects[from].pointers_within(from_at, len, self.pointer_size);
        let (to, to_at) = self.writable(dst, len)?;
        let backward = from == to && to_at > from_at;
        let mut buffer = [0u8; COPIED_AT_ONCE as usize];
        let parts = len.div_ceil(COPIED_AT_ONCE);
        for part in 0..parts {
            let part = if backward { parts - 1 - part } else { part };
            let start = part * COPIED_AT_ONCE;
            let buffer = &mut buffer[..(len - start).min(COPIED_AT_ONCE) as usize];
            self.objects[from].bytes.read(from_at + start, buffer);
            self.change(to, |bytes| bytes.write(to_at + start, buffer));
        }
        let place = |at: u64| at - from_at + to_at;
        self.change(to, |bytes| without.into_iter().for_each(|at| bytes.forget(place(at), 1)));
        self.objects[to].pointers.extend(whole.into_iter().map(|(at, pointer)| (place(at), pointer)));
        for (at, part) in single {
            self.objects[to].parts.insert(place(at), part);
            self.objects[to].join_parts(place(at), self.pointer_size);
        }
        Ok(())
    }

    /// Gives an allocated object another size where it stands, as `realloc` may do.
    pub(crate) fn resize(&mut self, p: Pointer, size: u64) -> Result<(), Halt> {
        let id = self.allocated(p)?;
        let object = &self.objects[id.index as usize];
        // Its size is unknown before and after.
        if object.kind == ObjectKind::Fresh {
            return Ok(());
        }
        if size > object.bytes.size() && !self.has_room(size) {
            return Err(over_limit());
        }
        let pointer_size = self.pointer_size as u64;
        let object = &mut self.objects[id.index as usize];
        let before = object.bytes.cost();
        if !object.bytes.resize(size) {
            return Err(over_limit());
        }
        self.live_bytes = self.live_bytes + object.bytes.cost() - before;
        object.pointers.retain(|at, _| at + pointer_size <= size);
        object.parts.retain(|at, _| *at < size);
        Ok(())
    }

    /// Ends the life of an allocated object, as `free` does.
    pub(crate) fn release(&mut self, p: Pointer) -> Result<(), Halt> {
        let id = self.allocated(p)?;
        self.destroy(id);
        Ok(())
    }

    /// The living object that `malloc` gave and `free` may have.
    fn allocated(&self, p: Pointer) -> Result<ObjectId, Halt> {
        let id = match p.target {
            Target::Object(id) => id,
            Target::Number(Region::Unknown) => return Err(unknown_address()),
            Target::Number(_) | Target::Func(_) => {
                return Err(Halt::Undefined(UndefinedBehaviour::FreeOfInvalidPointer));
            }
        };
        match self.live(id) {
            None => Err(Halt::Undefined(UndefinedBehaviour::DoubleFree)),
            Some(Object { kind: ObjectKind::Heap(..), .. }) if p.offset == 0 => Ok(id),
            // It may be one that somebody has allocated, and begin anywhere before the pointer.
            Some(Object { kind: ObjectKind::Fresh, .. }) => Ok(id),
            Some(_) => Err(Halt::Undefined(UndefinedBehaviour::FreeOfUnallocated)),
        }
    }
}
