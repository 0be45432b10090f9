//! Which visit a state has: an open hash table of numbers of visits. It is much larger than any cache, so what is looked up soon
//! can be asked for ahead ([`Table::touch`]): then memory is waited for once and not for each.

/// Numbers of visits by their hashes.
pub(crate) struct Table {
    /// A hash and the number that follows the visit's; 0 where there is none. Looked for from the place that the hash's
    /// highest bits tell.
    slots: Vec<u64>,
    count: usize,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { slots: vec![0; 1 << 10], count: 0 }
    }

    /// How many visits there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    fn place(&self, hash: u32) -> usize {
        hash as usize >> (u32::BITS - self.slots.len().trailing_zeros())
    }

    /// The first slot where the hash may be: its contents, for nothing but having them at hand.
    pub(crate) fn touch(&self, hash: u32) -> u64 {
        self.slots[self.place(hash)]
    }

    /// The visit in that slot, if it has this hash.
    pub(crate) fn likely(&self, hash: u32) -> Option<u32> {
        let slot = self.touch(hash);
        (slot != 0 && (slot >> 32) as u32 == hash).then(|| visit(slot))
    }

    /// The slot of the visit with this hash for which `same` holds; otherwise the slot where it would be.
    pub(crate) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Result<usize, usize> {
        let mut at = self.place(hash);
        loop {
            match self.slots[at] {
                0 => return Err(at),
                slot if (slot >> 32) as u32 == hash && same(visit(slot)) => return Ok(at),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// The visit in a slot that was found.
    pub(crate) fn visit(&self, at: usize) -> u32 {
        visit(self.slots[at])
    }

    /// Another visit instead of that in this slot.
    pub(crate) fn replace(&mut self, at: usize, hash: u32, visit: u32) {
        self.slots[at] = slot(hash, visit);
    }

    /// A visit where none was found.
    pub(crate) fn insert(&mut self, at: usize, hash: u32, visit: u32) {
        self.slots[at] = slot(hash, visit);
        self.count += 1;
        if self.count * 4 > self.slots.len() * 3 && self.slots.len() < 1 << 31 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; 2 * old.len()];
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = self.place((slot >> 32) as u32);
            while self.slots[at] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

fn slot(hash: u32, visit: u32) -> u64 {
    (u64::from(hash) << 32) | (u64::from(visit) + 1)
}

fn visit(slot: u64) -> u32 {
    (slot & u64::from(u32::MAX)) as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every visit is found while the table grows, also among others of the same hash, and at the end of the table, where
    /// the search goes on at its beginning.
    #[test]
    fn rows_are_found() {
        let hash = |visit: u32| {
            if visit.is_multiple_of(3) { u32::MAX - visit % 7 } else { visit.wrapping_mul(0x9E37_79B9) }
        };
        let mut table = Table::new();
        for visit in 0..6_000 {
            let same = |other| other == visit;
            let at = table.find(hash(visit), same).expect_err("it is not there yet");
            table.insert(at, hash(visit), visit);
            assert!(table.find(hash(visit), same).is_ok());
        }
        assert_eq!(table.len(), 6_000);
        for visit in 0..6_000 {
            let at = table.find(hash(visit), |other| other == visit).expect("it was inserted");
            assert_eq!(table.visit(at), visit);
            table.replace(at, hash(visit), visit + 10_000);
        }
        assert!(
            (10_000..16_000).all(|visit| table.find(hash(visit - 10_000), |other| other == visit).is_ok())
        );
    }
}
