//! States in rows: what is shared, each thread's place, and how the state was come to.

use crate::table::Table;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Rows of one block: large arrays are not moved when they grow.
const BLOCK: usize = 1 << 18;

/// Most states that wait.
const MOST_WAITING: usize = 32;

/// Most rows, for which the table has room.
pub(crate) const MOST_ROWS: u32 = 3 << 29;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// How a state was come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    /// The row of the state before; [`NONE`] where execution begins.
    pub(crate) from: u32,
    /// The thread that ran.
    pub(crate) thread: u16,
    /// How many context switches there were.
    pub(crate) switches: u16,
}

/// States with rows. A state has several when it was come to by several threads with equally few switches.
pub(crate) struct Store {
    rows: Rows,
    /// The last row of each state.
    table: Table,
    /// One row a state is enough.
    pub(crate) once: bool,
    /// States that are still to be added: their words, hashes and origins.
    waiting: Vec<u32>,
    hashes: Vec<u32>,
    origins: Vec<Origin>,
}

impl Store {
    /// Nothing yet, for states of so many words.
    pub(crate) fn new(words: usize) -> Store {
        Store {
            rows: Rows { words, blocks: vec![], count: 0 },
            table: Table::new(),
            once: false,
            waiting: vec![],
            hashes: vec![],
            origins: vec![],
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        self.rows.count
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn state(&self, row: u32) -> &[u32] {
        self.rows.state(row)
    }

    pub(crate) fn origin(&self, row: u32) -> Origin {
        self.rows.origin(row)
    }

    /// A state to be added by [`Store::flush`], at the latest after some others.
    pub(crate) fn add(&mut self, state: &[u32], origin: Origin) {
        self.waiting.extend_from_slice(state);
        self.hashes.push((FxBuildHasher.hash_one(state) >> 32) as u32);
        self.origins.push(origin);
        if self.hashes.len() == MOST_WAITING {
            self.flush();
        }
    }

    /// Adds the states that wait, in order. One is not added when that is not needed: it is there with fewer switches, or
    /// with as many and the same thread, or it is there and [`Store::once`] is set.
    ///
    /// # Panics
    /// With more rows than have numbers.
    pub(crate) fn flush(&mut self) {
        // What is needed of the table and of rows comes from memory for all of them at the same time.
        let slots: u64 = self.hashes.iter().fold(0, |all, hash| all ^ self.table.touch(*hash));
        std::hint::black_box(slots);
        let rows = self.hashes.iter().filter_map(|hash| self.table.likely(*hash));
        std::hint::black_box(rows.fold(0, |all, row| all ^ self.rows.state(row)[0]));
        let words = self.rows.words;
        for i in 0..self.hashes.len() {
            let (hash, origin) = (self.hashes[i], self.origins[i]);
            let state = &self.waiting[i * words..][..words];
            let (rows, row) = (&self.rows, self.rows.count);
            assert!(row < MOST_ROWS, "rows are counted before");
            let mut sibling = NONE;
            match self.table.find(hash, |row| rows.state(row) == state) {
                Err(slot) => self.table.insert(slot, hash, row),
                Ok(slot) => {
                    sibling = self.table.row(slot);
                    if self.once || !rows.wanted(sibling, origin) {
                        continue;
                    }
                    self.table.replace(slot, hash, row);
                }
            }
            self.rows.push(state, origin, sibling);
        }
        self.waiting.clear();
        self.hashes.clear();
        self.origins.clear();
    }
}

/// The rows themselves: the words of a state, where it comes from, by which thread and with how many switches, and the row
/// before of the same state.
struct Rows {
    /// Words of a state.
    words: usize,
    blocks: Vec<Vec<u32>>,
    count: u32,
}

impl Rows {
    fn row(&self, row: u32) -> &[u32] {
        let width = self.words + 3;
        &self.blocks[row as usize / BLOCK][row as usize % BLOCK * width..][..width]
    }

    fn state(&self, row: u32) -> &[u32] {
        &self.row(row)[..self.words]
    }

    fn origin(&self, row: u32) -> Origin {
        let meta = &self.row(row)[self.words..];
        Origin { from: meta[0], thread: (meta[1] >> 16) as u16, switches: meta[1] as u16 }
    }

    /// Whether the state, which has this row, is to be had once more.
    fn wanted(&self, row: u32, origin: Origin) -> bool {
        let mut row = row;
        while row != NONE {
            let known = self.origin(row);
            if known.switches < origin.switches || known.thread == origin.thread {
                return false;
            }
            row = self.row(row)[self.words + 2];
        }
        true
    }

    fn push(&mut self, state: &[u32], origin: Origin, sibling: u32) {
        if (self.count as usize).is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK * (self.words + 3)));
        }
        let block = self.blocks.last_mut().expect("a block was added");
        block.extend_from_slice(state);
        block.extend([origin.from, u32::from(origin.thread) << 16 | u32::from(origin.switches), sibling]);
        self.count += 1;
    }
}
