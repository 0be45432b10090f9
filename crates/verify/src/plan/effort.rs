//! Effort: one unit for all methods, of which the constants say what it buys; each was measured once.

use super::{LARGE, State};
use std::fmt;

/// Effort, of which the unit is one question of the abstraction to the prover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Effort {
    /// Z3's resource units, in which fractions of questions are expressed.
    units: u64,
}

/// Z3's resource units for one question: what those about a statement with some predicates take at most, as a rule
/// (`slam check -v` says how many a run has used).
pub(super) const UNITS: u64 = 8_000;

/// Edges that are unrolled: those of which the encoding takes as long as a question.
const EDGES: u64 = 256;

/// Steps of the interpreter, which executes about a million in the time of a thousand questions.
const STEPS: u64 = 1_000;

/// Elementary steps on bounds, of which there are about 10⁹ a second.
const BOUND_STEPS: u64 = 400_000;

impl Effort {
    /// As much as this many questions of the abstraction.
    pub const fn questions(number: u64) -> Effort {
        Effort { units: number * UNITS }
    }

    /// Z3's resource units.
    pub const fn units(self) -> u64 {
        self.units
    }

    /// Questions of the abstraction.
    pub const fn as_questions(self) -> u64 {
        self.units / UNITS
    }

    /// Edges of an unrolled program.
    pub const fn edges(self) -> u64 {
        self.units / UNITS * EDGES
    }

    /// Steps of the interpreter.
    pub const fn steps(self) -> u64 {
        self.units / UNITS * STEPS
    }

    /// Elementary steps on bounds of integers.
    pub const fn bound_steps(self) -> u64 {
        self.units / UNITS * BOUND_STEPS
    }

    /// This many times as much.
    #[must_use]
    pub const fn times(self, factor: u64) -> Effort {
        Effort { units: self.units * factor }
    }

    /// The part that a program of this many edges gets: above [`LARGE`], questions about the whole of it cost more and
    /// answer less often.
    #[must_use]
    pub fn for_edges(self, edges: usize) -> Effort {
        Effort { units: self.units * LARGE as u64 / edges.max(LARGE) as u64 }
    }
}

/// How much effort a step gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// At least.
    pub least: Effort,
    /// More for each iteration so far.
    pub each: Effort,
    /// As much as the abstraction has cost, if that is more.
    pub like_abstraction: bool,
    /// The part for the program's size.
    pub by_size: bool,
}

/// No effort beyond what the step needs anyway.
pub(super) const NONE: Budget = fixed(0);

pub(super) const fn fixed(questions: u64) -> Budget {
    Budget {
        least: Effort::questions(questions),
        each: Effort::questions(0),
        like_abstraction: false,
        by_size: false,
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, each] = [self.least, self.each].map(Effort::as_questions);
        match (least, each) {
            (0, 0) => f.write_str("–")?,
            (0, _) => write!(f, "{each} for each iteration")?,
            (_, 0) => write!(f, "{least}")?,
            _ => write!(f, "{least} and {each} for each iteration")?,
        }
        f.write_str(if self.like_abstraction { ", at least that of the abstraction" } else { "" })?;
        f.write_str(if self.by_size { ", less for large programs" } else { "" })
    }
}

impl Budget {
    pub(super) const fn for_size(self) -> Budget {
        Budget { by_size: true, ..self }
    }

    pub(super) const fn like_abstraction(self) -> Budget {
        Budget { like_abstraction: true, ..self }
    }

    pub(super) const fn each(self, questions: u64) -> Budget {
        Budget { each: Effort::questions(questions), ..self }
    }

    /// The effort in this state.
    pub fn effort(&self, state: &State) -> Effort {
        let grown = Effort { units: self.least.units + self.each.times(state.iteration as u64).units };
        let effort = match self.like_abstraction {
            true => grown.max(Effort::questions(state.questions)),
            false => grown,
        };
        if self.by_size { effort.for_edges(state.edges) } else { effort }
    }
}
