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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It returns.
    Returns,
    /// It waits for each and ends then, but not the program.
    Joins,
}

/// What all schedules of the threads come to.
pub fn outcome(threads: &[Vec<Statement>], ending: Ending) -> Found {
    let joins = (ending == Ending::Joins).then(|| Turns::joins(threads.len()));
    let turns: Vec<Turns> = threads.iter().map(|s| Turns::of(s)).chain(joins).collect();
    explore(&turns)
}

/// Two or three random threads.
pub fn threads(dice: &mut Dice, features: Features) -> Vec<Vec<Statement>> {
    let number = 2 + dice.below(2);
    let mut generator = Generator { dice, features };
    (0..number).map(|t| generator.statements([4, 3, 1][t], t < 2)).collect()
}
