//! Random programs with threads, their text in C, and the outcomes of all their schedules, found by
//! interleaving single accesses. Nothing here knows how the programs under test treat threads.

mod c;
mod explorer;
mod model;

pub use c::text;
pub use explorer::{Found, LARGEST};
pub use model::{Condition, Features, Generator, LOCKS, Place, Pointer, Statement, Value};

use crate::Dice;
use explorer::{Turns, explore};

/// The behaviour of the first thread after it has started the others.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It returns.
    Returns,
    /// It waits for each of them, in their order, does what is said here behind each wait, and ends then, but not the program.
    Joins(Vec<Vec<Statement>>),
}

/// Explores all schedules of the threads.
pub fn outcome(threads: &[Vec<Statement>], ending: &Ending) -> Found {
    let joins = match ending {
        Ending::Returns => None,
        Ending::Joins(behind) => Some(Turns::joins(behind)),
    };
    let turns: Vec<Turns> = threads.iter().map(|s| Turns::of(s)).chain(joins).collect();
    explore(&turns)
}

/// Lets the first thread join `threads` others, with random statements behind each join.
pub fn joins(dice: &mut Dice, features: Features, threads: usize) -> Ending {
    let mut generator = Generator { dice, features };
    let behind = (0..threads).map(|_| match generator.dice.below(3) {
        0 => vec![],
        _ => generator.statements(2, false),
    });
    Ending::Joins(behind.collect())
}

/// Two or three random threads.
pub fn threads(dice: &mut Dice, features: Features) -> Vec<Vec<Statement>> {
    let number = 2 + dice.below(2);
    let mut generator = Generator { dice, features };
    (0..number).map(|t| generator.statements([4, 3, 1][t], t < 2)).collect()
}
