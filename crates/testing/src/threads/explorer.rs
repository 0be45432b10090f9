//! All schedules of random threads, one access at a time.

use super::model::{Condition, Place, Pointer, Statement, Value};
use std::collections::BTreeSet;

/// Numbers of what is shared: `x`, `y`, the elements, the pointer, and the locks. An address is one more than such a number.
const ELEMENTS: usize = 2;
const POINTER: usize = 4;
const LOCKS: usize = 5;
const SHARED: usize = 7;
/// Numbers of what a thread has: `r`, the counter, the pointer, and then places for what was read.
const R: usize = 0;
const COUNTER: usize = 1;
const OWN_POINTER: usize = 2;
const TEMPS: usize = 3;
const OWN: usize = 10;

/// Values beyond this end an execution, so that there are finitely many.
pub const LARGEST: i128 = 6;

/// The place of an access.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Own(usize),
    Shared(usize),
    /// The element whose number the counter is.
    Counted,
    /// The target of the thread's own pointer.
    Through(usize),
}

/// A step of a thread.
#[derive(Clone, Debug)]
enum Turn {
    /// A place is read into one of the thread's own.
    Read(usize, Cell),
    /// The sum of what the thread has is written; only a number that is not too large.
    Write(Cell, usize, Option<usize>),
    /// The address of a place.
    Address(usize, Cell),
    Number(usize, i128),
    /// Goes there unless the two are equal, or differ.
    Unless(bool, usize, usize, usize),
    Jump(usize),
    Begin,
    End,
    /// The steps of the condition at once, then blocks unless the two are equal, or differ.
    Wait(Vec<Turn>, bool, usize, usize),
    Check(bool, usize, usize),
    /// Blocks until the lock is free, and takes it.
    Acquire(usize),
    Release(usize),
    /// Blocks until the thread has ended.
    Join(usize),
}

/// The steps of a thread.
#[derive(Debug, Default)]
pub(super) struct Turns {
    turns: Vec<Turn>,
    temps: usize,
}

impl Turns {
    /// The steps of statements, one for each access.
    pub(super) fn of(statements: &[Statement]) -> Turns {
        let mut turns = Turns::default();
        turns.add(statements);
        turns
    }

    /// The steps of a thread that waits for the others, and does something behind each wait.
    pub(super) fn joins(behind: &[Vec<Statement>]) -> Turns {
        let mut turns = Turns::default();
        for (t, statements) in behind.iter().enumerate() {
            turns.turns.push(Turn::Join(t));
            turns.add(statements);
        }
        turns
    }

    fn temp(&mut self) -> usize {
        self.temps += 1;
        assert!(TEMPS + self.temps <= OWN, "statements are small");
        TEMPS + self.temps - 1
    }

    fn operand(&mut self, value: &Value) -> (usize, Option<usize>) {
        match value {
            Value::Number(n) => {
                let t = self.temp();
                self.turns.push(Turn::Number(t, *n));
                (t, None)
            }
            Value::Of(place) => (self.read(*place), None),
            Value::Sum(a, b) => (self.read(*a), Some(self.read(*b))),
        }
    }

    /// The cell of a place, once pointers were read.
    fn cell(&mut self, place: Place) -> Cell {
        match place {
            Place::X => Cell::Shared(0),
            Place::Y => Cell::Shared(1),
            Place::R => Cell::Own(R),
            Place::Element(n) => Cell::Shared(ELEMENTS + n),
            Place::Counted => Cell::Counted,
            Place::At(pointer) => Cell::Through(self.pointer(pointer)),
        }
    }

    fn pointer(&mut self, pointer: Pointer) -> usize {
        match pointer {
            Pointer::Own => OWN_POINTER,
            Pointer::Shared => self.load(Cell::Shared(POINTER)),
        }
    }

    fn load(&mut self, cell: Cell) -> usize {
        if let Cell::Own(n) = cell {
            return n;
        }
        let t = self.temp();
        self.turns.push(Turn::Read(t, cell));
        t
    }

    fn read(&mut self, place: Place) -> usize {
        let cell = self.cell(place);
        self.load(cell)
    }

    fn sides(&mut self, c: &Condition) -> (usize, usize) {
        match c {
            Condition::Numbers { left, right, .. } => {
                let left = self.read(*left);
                (left, self.operand(right).0)
            }
            Condition::Leads { to, .. } => (OWN_POINTER, self.address(*to)),
        }
    }

    fn address(&mut self, place: Place) -> usize {
        let (cell, t) = (self.cell(place), self.temp());
        self.turns.push(Turn::Address(t, cell));
        t
    }

    fn add(&mut self, statements: &[Statement]) {
        for s in statements {
            self.temps = 0;
            match s {
                Statement::Set(place, value) => {
                    let cell = self.cell(*place);
                    let (a, b) = self.operand(value);
                    self.turns.push(Turn::Write(cell, a, b));
                }
                Statement::Point(pointer, place) => {
                    let address = self.address(*place);
                    self.turns.push(Turn::Write(pointer_cell(*pointer), address, None));
                }
                Statement::Copy(to) => {
                    let value = self.pointer(to.other());
                    self.turns.push(Turn::Write(pointer_cell(*to), value, None));
                }
                Statement::If(c, body) => {
                    let (a, b) = self.sides(c);
                    let at = self.turns.len();
                    self.turns.push(Turn::Begin);
                    self.add(body);
                    self.turns[at] = Turn::Unless(c.is_equal(), a, b, self.turns.len());
                }
                Statement::While(c) => {
                    let head = self.turns.len();
                    let (a, b) = self.sides(c);
                    self.turns.push(Turn::Unless(c.is_equal(), a, b, self.turns.len() + 2));
                    self.turns.push(Turn::Jump(head));
                }
                Statement::Twice(body) => {
                    for n in 0..2 {
                        self.turns.push(Turn::Number(COUNTER, n));
                        self.add(body);
                    }
                    self.turns.push(Turn::Number(COUNTER, 0));
                }
                Statement::Atomic(body) => {
                    self.turns.push(Turn::Begin);
                    self.add(body);
                    self.turns.push(Turn::End);
                }
                Statement::Wait(c) => {
                    let from = self.turns.len();
                    let (a, b) = self.sides(c);
                    let reads = self.turns.split_off(from);
                    self.turns.push(Turn::Wait(reads, c.is_equal(), a, b));
                }
                Statement::Acquire(lock) => self.turns.push(Turn::Acquire(LOCKS + lock)),
                Statement::Release(lock) => self.turns.push(Turn::Release(LOCKS + lock)),
                Statement::Check(c) => {
                    let (a, b) = self.sides(c);
                    self.turns.push(Turn::Check(c.is_equal(), a, b));
                }
            }
        }
    }
}

fn pointer_cell(pointer: Pointer) -> Cell {
    match pointer {
        Pointer::Own => Cell::Own(OWN_POINTER),
        Pointer::Shared => Cell::Shared(POINTER),
    }
}

/// The shared memory, then for each thread its position and its own memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    shared: [i128; SHARED],
    threads: Vec<(usize, [i128; OWN])>,
    inside: Option<usize>,
}

impl State {
    /// The cell of what is shared, if the address leads to one.
    fn shared_cell(&self, t: usize, cell: Cell) -> Option<usize> {
        let own = &self.threads[t].1;
        match cell {
            Cell::Own(_) => None,
            Cell::Shared(n) => Some(n),
            Cell::Counted => Some(ELEMENTS + own[COUNTER] as usize),
            Cell::Through(pointer) => (own[pointer] as usize).checked_sub(1),
        }
    }

    /// Does a step on values; returns whether the thread can go on.
    fn step(&mut self, t: usize, turn: &Turn) -> bool {
        match turn {
            Turn::Read(to, cell) => {
                let Some(n) = self.shared_cell(t, *cell) else { return false };
                self.threads[t].1[*to] = self.shared[n];
            }
            Turn::Number(to, n) => self.threads[t].1[*to] = *n,
            Turn::Address(to, cell) => {
                let n = self.shared_cell(t, *cell).expect("only places have addresses");
                self.threads[t].1[*to] = n as i128 + 1;
            }
            Turn::Write(cell, a, b) => {
                let own = &self.threads[t].1;
                let value = own[*a] + b.map_or(0, |b| own[b]);
                if value > LARGEST {
                    return false;
                }
                match (cell, self.shared_cell(t, *cell)) {
                    (Cell::Own(n), _) => self.threads[t].1[*n] = value,
                    (_, Some(n)) => self.shared[n] = value,
                    (_, None) => return false,
                }
            }
            turn => panic!("{turn:?} is no value"),
        }
        true
    }
}

/// The result of one step of a thread.
enum Outcome {
    Goes,
    Fails,
    /// The execution ends there.
    Ends,
    Blocks,
}

impl State {
    /// The thread does a step.
    fn take(&mut self, threads: &[Turns], t: usize) -> Outcome {
        let (at, own) = self.threads[t];
        let turn = &threads[t].turns[at];
        self.threads[t].0 += 1;
        let goes = |goes: bool| if goes { Outcome::Goes } else { Outcome::Blocks };
        let outcome = match turn {
            Turn::Unless(equal, a, b, to) if (own[*a] == own[*b]) != *equal => {
                self.threads[t].0 = *to;
                Outcome::Goes
            }
            Turn::Unless(..) => Outcome::Goes,
            Turn::Jump(to) => {
                self.threads[t].0 = *to;
                Outcome::Goes
            }
            Turn::Begin => {
                self.inside = Some(t);
                Outcome::Goes
            }
            Turn::End => {
                self.inside = None;
                Outcome::Goes
            }
            Turn::Wait(reads, equal, a, b) => {
                let can = reads.iter().all(|read| self.step(t, read));
                let own = &self.threads[t].1;
                if can { goes((own[*a] == own[*b]) == *equal) } else { Outcome::Ends }
            }
            Turn::Acquire(lock) => goes(std::mem::replace(&mut self.shared[*lock], 1) == 0),
            Turn::Release(lock) => {
                self.shared[*lock] = 0;
                Outcome::Goes
            }
            Turn::Join(other) => goes(self.threads[*other].0 >= threads[*other].turns.len()),
            Turn::Check(equal, a, b) if (own[*a] == own[*b]) != *equal => Outcome::Fails,
            Turn::Check(..) => Outcome::Goes,
            turn if self.step(t, turn) => Outcome::Goes,
            _ => Outcome::Ends,
        };
        // Values that were read are of no use behind their statement.
        if !matches!(turn, Turn::Read(..) | Turn::Number(..) | Turn::Address(..)) {
            self.threads[t].1[TEMPS..].fill(0);
        }
        outcome
    }

    /// The access of the thread's next step, and whether it writes.
    fn access(&self, threads: &[Turns], t: usize) -> Option<(usize, bool)> {
        match threads[t].turns.get(self.threads[t].0)? {
            Turn::Read(_, cell) => Some((self.shared_cell(t, *cell)?, false)),
            Turn::Write(cell, ..) => Some((self.shared_cell(t, *cell)?, true)),
            _ => None,
        }
    }

    /// Whether two threads access the same next, one of which writes and one of which is in no atomic section.
    fn is_race(&self, threads: &[Turns]) -> bool {
        let numbers = || 0..self.threads.len();
        let mut pairs = numbers().flat_map(|t| numbers().filter(move |u| t < *u).map(move |u| (t, u)));
        pairs.any(|(t, u)| {
            let apart = self.inside.is_some_and(|i| i != t && i != u);
            match (self.access(threads, t), self.access(threads, u)) {
                (Some((a, writes)), Some((b, also))) => !apart && a == b && (writes || also),
                _ => false,
            }
        })
    }
}

/// The failures in some schedule.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Found {
    /// A check fails.
    pub fails: bool,
    /// Two threads access the same at once, one writes, and one is in no atomic section.
    pub races: bool,
    /// Somebody is blocked and nobody can go on.
    pub deadlocks: bool,
}

/// Explores all schedules of the threads.
pub(super) fn explore(threads: &[Turns]) -> Found {
    let mut found = Found::default();
    let first = State { shared: [0; SHARED], threads: vec![(0, [0; OWN]); threads.len()], inside: None };
    let (mut seen, mut work) = (BTreeSet::from([first.clone()]), vec![first]);
    while let Some(state) = work.pop() {
        found.races |= state.is_race(threads);
        let (mut blocked, mut moving) = (false, state.inside.is_some());
        for t in 0..threads.len() {
            if state.inside.is_some_and(|i| i != t) || state.threads[t].0 >= threads[t].turns.len() {
                continue;
            }
            let mut next = state.clone();
            let outcome = next.take(threads, t);
            blocked |= matches!(outcome, Outcome::Blocks);
            moving |= !matches!(outcome, Outcome::Blocks);
            found.fails |= matches!(outcome, Outcome::Fails);
            if matches!(outcome, Outcome::Goes) && seen.insert(next.clone()) {
                work.push(next);
            }
        }
        found.deadlocks |= blocked && !moving;
    }
    found
}
