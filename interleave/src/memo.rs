//! Numbers for what threads share and where they are, and the runs from there, found once.

use crate::bits::Bits;
use crate::machine::Machine;
use crate::runs::{End, Runs};
use crate::steps::{Local, Started, View};
use bp::VertexId;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// Most states on the runs from one point.
const MOST_ON_THE_WAY: usize = 1 << 18;

/// The number of a thread that was not started.
pub(crate) const NOT_STARTED: u32 = 0;
/// The number of a thread that takes no more steps.
pub(crate) const ENDED: u32 = 1;
/// The first number of a place.
const FIRST: u32 = 2;

/// Values with numbers, in the order in which they came.
struct Numbers<T> {
    all: Vec<T>,
    of: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Numbers<T> {
        Numbers { all: vec![], of: FxHashMap::default() }
    }

    fn number(&mut self, value: &T) -> u32 {
        if let Some(number) = self.of.get(value) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.of.insert(value.clone(), number);
        number
    }
}

/// Where a run leads.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub(crate) shared: u32,
    pub(crate) local: u32,
    pub(crate) started: Box<[Started]>,
    pub(crate) goal: Option<VertexId>,
}

/// The runs of all threads.
pub(crate) struct Memo<'s> {
    /// One for each code.
    pub(crate) machines: Vec<Machine<'s>>,
    shared: Numbers<Bits>,
    locals: Vec<Numbers<Local>>,
    /// For each code: where the leads from a place with these shared values are.
    known: Vec<FxHashMap<(u32, u32), Range<u32>>>,
    successors: Vec<Successor>,
}

impl<'s> Memo<'s> {
    pub(crate) fn new(machines: Vec<Machine<'s>>) -> Memo<'s> {
        Memo {
            shared: Numbers::new(),
            locals: machines.iter().map(|_| Numbers::new()).collect(),
            known: vec![FxHashMap::default(); machines.len()],
            successors: vec![],
            machines,
        }
    }

    pub(crate) fn shared(&mut self, values: Bits) -> u32 {
        self.shared.number(&values)
    }

    pub(crate) fn place(&mut self, code: usize, local: &Local) -> u32 {
        self.locals[code].number(local) + FIRST
    }

    /// How many ends of runs are known.
    pub(crate) fn len(&self) -> usize {
        self.successors.len()
    }

    /// What is known of the shared variables.
    pub(crate) fn values(&self, shared: u32) -> Bits {
        self.shared.all[shared as usize]
    }

    pub(crate) fn successor(&self, number: u32) -> &Successor {
        &self.successors[number as usize]
    }

    /// The numbers of what runs from here lead to; `None` when they are too long.
    pub(crate) fn successors(&mut self, code: usize, shared: u32, local: u32) -> Option<Range<u32>> {
        if local < FIRST {
            return Some(0..0);
        }
        if let Some(known) = self.known[code].get(&(shared, local)) {
            return Some(known.clone());
        }
        let runs = self.runs(code, shared, local)?;
        let first = self.successors.len() as u32;
        for (end, _) in &runs.ends {
            let successor = self.of_end(code, end);
            self.successors.push(successor);
        }
        let range = first..self.successors.len() as u32;
        self.known[code].insert((shared, local), range.clone());
        Some(range)
    }

    /// The runs themselves.
    pub(crate) fn runs(&self, code: usize, shared: u32, local: u32) -> Option<Runs> {
        let local = self.locals[code].all[(local - FIRST) as usize].clone();
        let view = View { shared: self.values(shared), local, started: vec![] };
        Runs::new(&self.machines[code], view, MOST_ON_THE_WAY)
    }

    fn of_end(&mut self, code: usize, end: &End) -> Successor {
        Successor {
            shared: self.shared(end.shared),
            local: end.local.as_ref().map_or(ENDED, |local| self.place(code, local)),
            started: end.started.clone().into_boxed_slice(),
            goal: end.goal,
        }
    }
}
