//! The pointers in the bytes of an object: whole ones, and single bytes of pointers that are copied byte by byte.

use super::memory::{Cell, Object, Pointer};

/// Bytes of pointers, by their offsets.
type Parts = Vec<(u64, (Pointer, u8))>;

impl Object {
    /// The start of a whole pointer that shares a byte with the range.
    fn overlapping(&self, at: u64, len: u64, size: usize) -> Option<u64> {
        let first = at.saturating_sub(size as u64 - 1);
        self.pointers.range(first..at + len).next().map(|(start, _)| *start)
    }

    /// The value of the bytes, when there is a pointer or a part of one among them; [`Cell::Uninit`] when they
    /// have no value.
    pub(super) fn pointer_at(&self, at: u64, len: usize, size: usize) -> Option<Cell> {
        match self.overlapping(at, len as u64, size) {
            Some(start) if start == at && len == size => Some(Cell::Pointer(self.pointers[&start])),
            Some(start) if len == 1 => Some(Cell::Part(self.pointers[&start], (at - start) as u8)),
            Some(_) => Some(Cell::Uninit),
            None => match self.parts.range(at..at + len as u64).next() {
                Some((_, (pointer, n))) if len == 1 => Some(Cell::Part(*pointer, *n)),
                Some(_) => Some(Cell::Uninit),
                None => None,
            },
        }
    }

    /// The pointers and parts in the range; a pointer that the range cuts gives parts.
    pub(super) fn pointers_within(&self, at: u64, len: u64, size: usize) -> (Vec<(u64, Pointer)>, Parts) {
        let (size, end) = (size as u64, at + len);
        let (mut whole, mut parts) = (vec![], vec![]);
        for (start, pointer) in self.pointers.range(at.saturating_sub(size - 1)..end) {
            if *start >= at && start + size <= end {
                whole.push((*start, *pointer));
                continue;
            }
            let within = (*start..start + size).filter(|b| (at..end).contains(b));
            parts.extend(within.map(|b| (b, (*pointer, (b - start) as u8))));
        }
        parts.extend(self.parts.range(at..end).map(|(at, part)| (*at, *part)));
        (whole, parts)
    }

    /// Removes what a write to these bytes overwrites; the other bytes of a pointer that is cut stay as parts.
    pub(super) fn forget_pointers(&mut self, at: u64, len: u64, size: usize) {
        if len == 0 {
            return;
        }
        while let Some(start) = self.overlapping(at, len, size) {
            let pointer = self.pointers.remove(&start).expect("a pointer starts there");
            let outside = (start..start + size as u64).filter(|b| !(at..at + len).contains(b));
            self.parts.extend(outside.map(|b| (b, (pointer, (b - start) as u8))));
        }
        while let Some((part, _)) = self.parts.range(at..at + len).next() {
            let part = *part;
            self.parts.remove(&part);
        }
    }

    /// Makes a pointer of its parts, when the one at this offset was the last that was missing.
    pub(super) fn join_parts(&mut self, at: u64, size: usize) {
        let Some(&(pointer, n)) = self.parts.get(&at) else { return };
        let Some(start) = at.checked_sub(u64::from(n)) else { return };
        let complete = (0..size as u64).all(|i| self.parts.get(&(start + i)) == Some(&(pointer, i as u8)));
        if complete {
            (0..size as u64).for_each(|i| _ = self.parts.remove(&(start + i)));
            self.pointers.insert(start, pointer);
        }
    }
}
