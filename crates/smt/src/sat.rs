//! Clauses over truth values, and the solver for these: Kissat \[BFFH20\], whose search among bits is several times as fast as that of the
//! prover for terms.
//!
//! Invariant: answers depend on the clauses and the limit alone, interruption aside.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::interrupt::Interrupt;

/// How often it is looked for an interruption.
const AGAIN: Duration = Duration::from_millis(10);

/// The stack of the solver's thread, in bytes.
const STACK: usize = 16 << 20;

/// Literals, most: more than these and memory could end, which the solver does not survive.
const MOST: usize = 50_000_000;

/// A conjunction of clauses. Variables are numbered from 1 on; a negative number is the negation.
#[derive(Default)]
pub(crate) struct Clauses {
    /// The literals, with a zero behind those of each clause.
    literals: Vec<i32>,
    /// The highest variable.
    highest: i32,
}

/// What the solver found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Solved {
    /// Values that satisfy the clauses: `values[i]` is that of variable `i + 1`.
    Values(Vec<bool>),
    /// No values do.
    Contradiction,
    /// The limit was reached, or it was interrupted.
    GaveUp,
}

impl Clauses {
    /// Adds a clause.
    pub(crate) fn add(&mut self, literals: &[i32]) {
        self.highest = literals.iter().map(|l| l.abs()).fold(self.highest, i32::max);
        self.literals.extend_from_slice(literals);
        self.literals.push(0);
    }

    /// Searches for a satisfying assignment, up to this many conflicts. An interrupted search is left to its thread,
    /// which ends at its limit.
    pub(crate) fn solve(self, conflicts: u64, interrupt: &Interrupt) -> Solved {
        if self.literals.len() > MOST || interrupt.is_set() {
            return Solved::GaveUp;
        }
        let (send, receive) = channel();
        let work = move || {
            // Nobody waits for it any more after an interruption.
            let _ = send.send(self.search(conflicts));
        };
        if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            return Solved::GaveUp;
        }
        loop {
            match receive.recv_timeout(AGAIN) {
                Ok(solved) => return solved,
                Err(RecvTimeoutError::Timeout) if !interrupt.is_set() => {}
                Err(_) => return Solved::GaveUp,
            }
        }
    }

    fn search(self, conflicts: u64) -> Solved {
        let Clauses { literals, highest } = self;
        let mut solver = cat_solver::Solver::new();
        for clause in literals.split_inclusive(|l| *l == 0) {
            solver.add_clause(clause[..clause.len() - 1].iter().copied());
        }
        drop(literals);
        let limit = u32::try_from(conflicts).unwrap_or(u32::MAX);
        if solver.set_limit("conflicts", limit).is_err() {
            return Solved::GaveUp;
        }
        match solver.solve() {
            None => Solved::GaveUp,
            Some(false) => Solved::Contradiction,
            // What has no value may have any.
            Some(true) => Solved::Values((1..=highest).map(|v| solver.value(v) == Some(true)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clauses, Solved};
    use crate::interrupt::Interrupt;

    /// One pigeon more than holes.
    fn pigeons(holes: i32) -> Clauses {
        let mut clauses = Clauses::default();
        let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        for pigeon in 0..=holes {
            clauses.add(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
            for other in 0..pigeon {
                for hole in 0..holes {
                    clauses.add(&[-sits(pigeon, hole), -sits(other, hole)]);
                }
            }
        }
        clauses
    }

    #[test]
    fn values_satisfy_the_clauses() {
        let mut clauses = Clauses::default();
        for clause in [&[1, 2][..], &[-1, 3], &[-2, -3], &[4, -3]] {
            clauses.add(clause);
        }
        let literals = clauses.literals.clone();
        let Solved::Values(values) = clauses.solve(1_000, &Interrupt::new()) else {
            panic!("there are values")
        };
        for clause in literals.split(|l| *l == 0).filter(|c| !c.is_empty()) {
            assert!(clause.iter().any(|l| values[l.unsigned_abs() as usize - 1] == (*l > 0)), "{clause:?}");
        }
    }

    #[test]
    fn contradictions_are_found() {
        assert_eq!(pigeons(6).solve(1_000_000, &Interrupt::new()), Solved::Contradiction);
        let mut empty = Clauses::default();
        empty.add(&[]);
        assert_eq!(empty.solve(10, &Interrupt::new()), Solved::Contradiction);
    }

    #[test]
    fn the_limit_ends_the_search_and_so_does_an_interruption() {
        assert_eq!(pigeons(10).solve(100, &Interrupt::new()), Solved::GaveUp);
        let interrupt = Interrupt::new();
        let stop = interrupt.clone();
        let stopping = std::thread::spawn(move || stop.interrupt_all());
        // More conflicts than a test has time for.
        assert_eq!(pigeons(14).solve(200_000_000, &interrupt), Solved::GaveUp);
        stopping.join().expect("the thread does not panic");
    }
}
