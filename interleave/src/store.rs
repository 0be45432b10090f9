//! Visited states: what is shared, each thread's place, and how the state was reached.

use crate::table::Table;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Visits of one block: large arrays are not moved when they grow.
const BLOCK: usize = 1 << 18;

/// Most states that wait.
const MOST_WAITING: usize = 32;

/// Most visits, for which the table has room.
pub(crate) const MOST_VISITS: u32 = 3 << 29;

/// No visit.
pub(crate) const NONE: u32 = u32::MAX;

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    /// The visit of the state before; [`NONE`] where execution begins.
    pub(crate) from: u32,
    /// The thread that ran.
    pub(crate) thread: u16,
    /// How many context switches there were.
    pub(crate) switches: u16,
}

/// Visits to states. A state has several when it was reached by several threads with equally few switches.
pub(crate) struct Store {
    visits: Visits,
    /// The last visit of each state.
    table: Table,
    /// One visit a state is enough.
    pub(crate) once: bool,
    /// States that are still to be added: their words, hashes and origins.
    waiting: Vec<u32>,
    hashes: Vec<u32>,
    origins: Vec<Origin>,
}

impl Store {
    /// An empty store, for states of `words` words.
    pub(crate) fn new(words: usize) -> Store {
        Store {
            visits: Visits { words, blocks: vec![], count: 0 },
            table: Table::new(),
            once: false,
            waiting: vec![],
            hashes: vec![],
            origins: vec![],
        }
    }

    /// How many visits there are.
    pub(crate) fn len(&self) -> u32 {
        self.visits.count
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn state(&self, visit: u32) -> &[u32] {
        self.visits.state(visit)
    }

    pub(crate) fn origin(&self, visit: u32) -> Origin {
        self.visits.origin(visit)
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
    /// With more visits than have numbers.
    pub(crate) fn flush(&mut self) {
        // What is needed of the table and of visits comes from memory for all of them at the same time.
        let slots: u64 = self.hashes.iter().fold(0, |all, hash| all ^ self.table.touch(*hash));
        std::hint::black_box(slots);
        let visits = self.hashes.iter().filter_map(|hash| self.table.likely(*hash));
        std::hint::black_box(visits.fold(0, |all, visit| all ^ self.visits.state(visit)[0]));
        let words = self.visits.words;
        for i in 0..self.hashes.len() {
            let (hash, origin) = (self.hashes[i], self.origins[i]);
            let state = &self.waiting[i * words..][..words];
            let (visits, visit) = (&self.visits, self.visits.count);
            assert!(visit < MOST_VISITS, "visits are counted before");
            let mut sibling = NONE;
            match self.table.find(hash, |visit| visits.state(visit) == state) {
                Err(slot) => self.table.insert(slot, hash, visit),
                Ok(slot) => {
                    sibling = self.table.visit(slot);
                    if self.once || !visits.wanted(sibling, origin) {
                        continue;
                    }
                    self.table.replace(slot, hash, visit);
                }
            }
            self.visits.push(state, origin, sibling);
        }
        self.waiting.clear();
        self.hashes.clear();
        self.origins.clear();
    }
}

/// The visits themselves: the words of a state, where it comes from, by which thread and with how many switches, and the visit
/// before of the same state.
struct Visits {
    /// Words of a state.
    words: usize,
    blocks: Vec<Vec<u32>>,
    count: u32,
}

impl Visits {
    fn visit(&self, visit: u32) -> &[u32] {
        let width = self.words + 3;
        &self.blocks[visit as usize / BLOCK][visit as usize % BLOCK * width..][..width]
    }

    fn state(&self, visit: u32) -> &[u32] {
        &self.visit(visit)[..self.words]
    }

    fn origin(&self, visit: u32) -> Origin {
        let meta = &self.visit(visit)[self.words..];
        Origin { from: meta[0], thread: (meta[1] >> 16) as u16, switches: meta[1] as u16 }
    }

    /// Whether the state, which has this visit, is to be had once more.
    fn wanted(&self, visit: u32, origin: Origin) -> bool {
        let mut visit = visit;
        while visit != NONE {
            let known = self.origin(visit);
            if known.switches < origin.switches || known.thread == origin.thread {
                return false;
            }
            visit = self.visit(visit)[self.words + 2];
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
