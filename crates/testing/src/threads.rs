//! Random programs with threads, what all their schedules come to, found by taking their turns one access at a time, and their
//! text in C. Nothing here knows how the programs under test treat threads.

mod c;
mod explorer;
mod model;

pub use c::text;
pub use explorer::{Found, LARGEST};
pub use model::{Condition, Features, Generator, LOCKS, Place, Pointer, Statement, Value};

use crate::Dice;
use explorer::{Turns, explore};

/// What the first thread does when it has started the others.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It returns.
    Returns,
    /// It waits for each of them, in their order, does what is said here behind each wait, and ends then, but not the program.
    Joins(Vec<Vec<Statement>>),
}

/// What all schedules of the threads come to.
pub fn outcome(threads: &[Vec<Statement>], ending: &Ending) -> Found {
    let joins = match ending {
        Ending::Returns => None,
        Ending::Joins(behind) => Some(Turns::joins(behind)),
    };
    let turns: Vec<Turns> = threads.iter().map(|s| Turns::of(s)).chain(joins).collect();
    explore(&turns)
}

/// That the first thread waits for so many others; what it does behind each wait.
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
