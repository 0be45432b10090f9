//! Uninitialised variables that the program reads before it writes them: the values of all others are not worth
//! reporting as inputs.

use super::eval::{SlotRef, State};
use super::memory::{ObjectId, Pointer, Target};
use ir::expr::Lvalue;
use std::collections::BTreeMap;

/// Places that hold an arbitrary value which nothing has read, with the number of the input.
#[derive(Default)]
pub(super) struct Unread {
    registers: BTreeMap<usize, usize>,
    /// By object and first byte: one past the last byte, and the input.
    bytes: BTreeMap<(ObjectId, u64), (u64, usize)>,
}

impl Unread {
    pub(super) fn register_written(&mut self, n: usize) {
        self.registers.remove(&n);
    }

    /// The registers from this one on belong to a new call.
    pub(super) fn forget_registers(&mut self, from: usize) {
        self.registers.split_off(&from);
    }

    pub(super) fn memory_written(&mut self, at: Pointer, len: u64) {
        let Some((object, start)) = start_of(at) else { return };
        let covered: Vec<_> = self
            .bytes
            .range((object, start)..(object, start + len))
            .map(|(at, (end, _))| (*at, *end))
            .collect();
        for (at, end) in covered {
            if end <= start + len {
                self.bytes.remove(&at);
            }
        }
    }

    fn take_read(&mut self, at: Pointer, len: u64) -> Vec<usize> {
        let Some((object, start)) = start_of(at) else { return vec![] };
        let before = self.bytes.range((object, 0)..(object, start + len));
        let read: Vec<_> =
            before.filter(|(_, (end, _))| *end > start).map(|(at, (_, n))| (*at, *n)).collect();
        read.into_iter()
            .map(|(at, n)| {
                self.bytes.remove(&at);
                n
            })
            .collect()
    }
}

fn start_of(at: Pointer) -> Option<(ObjectId, u64)> {
    let Target::Object(object) = at.target else { return None };
    Some((object, u64::try_from(at.offset).ok()?))
}

impl State<'_, '_> {
    /// The newest input went there, and is read when a value is read there before another is written.
    pub(super) fn not_read_yet(&mut self, lv: &Lvalue) {
        let (Some(_), Some(input)) = (&self.unread, self.records.len().checked_sub(1)) else { return };
        let at = match lv.as_var().map(|v| self.slot(v)) {
            Some(SlotRef::Global(_)) => return,
            Some(SlotRef::Local(n)) => {
                self.records[input].read = false;
                if let Some(unread) = &mut self.unread {
                    unread.registers.insert(n, input);
                }
                return;
            }
            Some(SlotRef::Object(id)) => Pointer { target: Target::Object(id), offset: 0 },
            None => {
                let inputs = self.inputs.take();
                let place = self.place(lv, false);
                self.inputs = inputs;
                match place {
                    Ok(place) if place.bit.is_none() => place.at,
                    _ => return,
                }
            }
        };
        let (Some((object, start)), Ok(len)) = (start_of(at), self.size(&lv.ty)) else { return };
        self.records[input].read = false;
        if let Some(unread) = &mut self.unread {
            unread.bytes.insert((object, start), (start + len, input));
        }
    }

    /// Whether the variable holds nothing but an arbitrary value that nothing has read.
    pub(super) fn is_unread(&self, lv: &Lvalue) -> bool {
        let (Some(unread), Some(v)) = (&self.unread, lv.as_var()) else { return false };
        match self.slot(v) {
            SlotRef::Global(_) => false,
            SlotRef::Local(n) => unread.registers.contains_key(&n),
            SlotRef::Object(id) => unread.bytes.contains_key(&(id, 0)),
        }
    }

    /// The program reads the register. Observers, who have no inputs, do not count.
    pub(super) fn register_read(&mut self, n: usize) {
        if self.inputs.is_some()
            && let Some(unread) = &mut self.unread
            && let Some(input) = unread.registers.remove(&n)
        {
            self.records[input].read = true;
        }
    }

    /// The program reads these bytes.
    pub(super) fn memory_read(&mut self, at: Pointer, len: u64) {
        if self.inputs.is_some()
            && let Some(unread) = &mut self.unread
            && !unread.bytes.is_empty()
        {
            for input in unread.take_read(at, len) {
                self.records[input].read = true;
            }
        }
    }
}
