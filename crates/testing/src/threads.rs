//! Random programs with threads, what all their schedules come to, found by taking their turns one access at a time, and their
//! text in C. Nothing here knows how the programs under test treat threads.

mod c;
mod explorer;
mod model;

pub use c::{Ending, text};
pub use explorer::{Found, LARGEST, Turns, explore};
pub use model::{Condition, Features, Generator, Place, Pointer, Statement, Value};

use crate::Dice;

/// Two or three random threads.
pub fn threads(dice: &mut Dice, features: Features) -> Vec<Vec<Statement>> {
    let number = 2 + dice.below(2);
    let mut generator = Generator { dice, features };
    (0..number).map(|t| generator.statements([4, 3, 1][t], t < 2)).collect()
}
