//! The plan: all methods that decide checks, each with when its turn comes, the effort that it gets, and why; and the
//! pure function ([`next`]) from what is known of a run to the step that is next. What the steps do is elsewhere.
//!
//! Effort has [one unit](Effort).

mod effort;
mod method;

pub use effort::{Budget, Effort};
pub use method::Method;

use effort::{NONE, fixed};
use std::collections::BTreeSet;
use std::fmt;

/// Programs with more edges than this are large.
pub const LARGE: usize = 1_000;

/// Where in a run a step is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before the loop.
    Program,
    /// Before an iteration of the loop.
    Iteration,
    /// The loop ends without an answer about one check.
    Open,
    /// A run of the loop has ended in a way that asks for other integers or without a check. [`next`] never returns these steps:
    /// the loop asks for bits ([`Conclusion::SwitchToBits`](crate::cegar::Conclusion::SwitchToBits)), and
    /// [`Schedule::next`](crate::Schedule::next) leaves checks out.
    Conclusion,
    /// There is an answer about the program.
    Answer,
}

/// When the turn of a step comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Always.
    Always,
    /// Before the iteration of this number.
    Before(usize),
    /// Before iterations whose numbers are powers of two, from this one on.
    PowersOfTwo(usize),
    /// The abstraction has asked this many questions since the run began; then whenever the number of all runs together has
    /// doubled. [`State::due`] says at which number that is.
    Questions(u64),
    /// The abstraction has asked this many questions since the run began, once; see [`State::early`].
    Once(u64),
    /// A predicate has more parts than this: the abstraction of statements that change what it reads may not end.
    PredicateParts(usize),
    /// Predicates seldom capture the program's values: products, floating-point numbers, numbers made of bytes.
    HardValues,
    /// The interpreter did not repeat the last error path.
    NotReplayed,
    /// See [`Point::Conclusion`].
    Decided,
    /// An error is not confirmed, and the program has objects that are accessed at several types.
    SeveralTypes,
    /// There is no answer, and a loop may start more threads than the bound.
    MoreThreads,
    /// No check fails.
    Safe,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Always => f.write_str("always"),
            When::Before(number) => write!(f, "before iteration {number}"),
            When::PowersOfTwo(first) => {
                write!(f, "before iterations {first}, {}, {}, …", 2 * first, 4 * first)
            }
            When::Questions(first) => write!(f, "after {first} questions, twice as many, …"),
            When::Once(number) => write!(f, "after {number} questions"),
            When::PredicateParts(parts) => write!(f, "a predicate has more than {parts} parts"),
            When::HardValues => f.write_str("before iteration 2, where predicates seldom capture the values"),
            When::NotReplayed => f.write_str("the last error path was not repeated"),
            When::Decided => f.write_str("where the loop asks for it"),
            When::SeveralTypes => {
                f.write_str("an error is not confirmed, and objects are accessed at several types")
            }
            When::MoreThreads => f.write_str("no answer, and loops may start more threads"),
            When::Safe => f.write_str("no check fails"),
        }
    }
}

/// A step of the plan.
#[derive(Debug)]
pub struct Step {
    /// The method.
    pub method: Method,
    /// How it is used here.
    pub variant: Variant,
    /// Where.
    pub at: Point,
    /// Its turn comes when one of these holds.
    pub when: &'static [When],
    /// The effort.
    pub budget: Budget,
    /// Why.
    pub why: &'static str,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.method.name(), self.variant)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Variant::Usual => "",
            Variant::Given => ", of what is given",
            Variant::Longer => ", one longer",
            Variant::Early => ", early",
            Variant::Last => ", at last",
            Variant::Suspected => ", of what is suspected",
        })
    }
}

/// How a method is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// As a rule.
    Usual,
    /// With candidates that somebody has given.
    Given,
    /// Followed further than before.
    Longer,
    /// With little effort.
    Early,
    /// With more effort than before, since there is no answer otherwise.
    Last,
    /// About what an error path that was not repeated suggests.
    Suspected,
}

/// Questions of the abstraction after which expensive methods have their first turn.
pub const FIRST_QUESTIONS: u64 = 500;

/// The same for the early attempt at induction.
pub const EARLY_QUESTIONS: u64 = 250;

/// The plan.
pub const PLAN: &[Step] = &[
    Step {
        method: Method::Executions,
        variant: Variant::Usual,
        at: Point::Program,
        when: &[When::Always],
        budget: fixed(400),
        why: "Shallow errors need no proof; 200 executions cost less than one iteration of the loop.",
    },
    Step {
        method: Method::SingleExecution,
        variant: Variant::Usual,
        at: Point::Program,
        when: &[When::Always],
        budget: NONE,
        why: "A program without inputs has one execution, which decides it where no invariants are found.",
    },
    Step {
        method: Method::Bounds,
        variant: Variant::Usual,
        at: Point::Program,
        when: &[When::Always],
        budget: fixed(1_000),
        why: "Most checks that are added to a program follow from bounds of integers.",
    },
    Step {
        method: Method::Induction,
        variant: Variant::Given,
        at: Point::Iteration,
        when: &[When::Always],
        budget: fixed(12_500),
        why: "Invariants that somebody has written are asked about first.",
    },
    Step {
        method: Method::Executions,
        variant: Variant::Longer,
        at: Point::Iteration,
        when: &[When::Before(4)],
        budget: NONE,
        why: "A program without inputs that is not understood after three iterations may have one long execution.",
    },
    Step {
        method: Method::Executions,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::Before(3)],
        budget: fixed(1_600),
        why: "Shallow errors are found by these; deeper ones need inputs that build on each other.",
    },
    Step {
        method: Method::Executions,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::PowersOfTwo(4)],
        budget: fixed(0).each(300),
        why: "The more iterations there were, the more an error behind them is worth.",
    },
    Step {
        method: Method::Induction,
        variant: Variant::Early,
        at: Point::Iteration,
        when: &[When::Once(EARLY_QUESTIONS), When::Before(4), When::PredicateParts(50)],
        budget: fixed(250),
        why: "Induction over one iteration proves many small programs for less than an iteration of the loop.",
    },
    Step {
        method: Method::Induction,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::Questions(FIRST_QUESTIONS), When::HardValues, When::PowersOfTwo(8)],
        budget: fixed(2_500).for_size(),
        why: "Where the abstraction is expensive, invariants that executions suggest may prove the checks at once.",
    },
    Step {
        method: Method::Unrolling,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::HardValues],
        budget: fixed(1_250).like_abstraction(),
        why: "Where predicates seldom capture the values, loops with few iterations need none.",
    },
    Step {
        method: Method::Unrolling,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::Questions(FIRST_QUESTIONS), When::PowersOfTwo(8)],
        budget: fixed(200).each(12).like_abstraction(),
        why: "Loops with few iterations need no invariants, and errors behind many iterations no predicates.",
    },
    Step {
        method: Method::Abstraction,
        variant: Variant::Usual,
        at: Point::Iteration,
        when: &[When::Always],
        budget: NONE,
        why: "Each error path that cannot be executed gives predicates.",
    },
    Step {
        method: Method::Unrolling,
        variant: Variant::Suspected,
        at: Point::Open,
        when: &[When::NotReplayed],
        budget: fixed(2_500).like_abstraction(),
        why: "Other paths with as many iterations may be repeated.",
    },
    Step {
        method: Method::Induction,
        variant: Variant::Last,
        at: Point::Open,
        when: &[When::Always],
        budget: fixed(12_500).for_size(),
        why: "Five times the effort of before, instead of no answer.",
    },
    Step {
        method: Method::Unrolling,
        variant: Variant::Last,
        at: Point::Open,
        when: &[When::Always],
        budget: fixed(2_500).like_abstraction(),
        why: "As much effort as the loop has cost, instead of no answer.",
    },
    Step {
        method: Method::Bits,
        variant: Variant::Usual,
        at: Point::Conclusion,
        when: &[When::Decided],
        budget: NONE,
        why: "An error depends on what mathematical integers over-approximate.",
    },
    Step {
        method: Method::Elsewhere,
        variant: Variant::Usual,
        at: Point::Conclusion,
        when: &[When::Decided],
        budget: NONE,
        why: "A check that is not decided hides no errors of others.",
    },
    Step {
        method: Method::Bytes,
        variant: Variant::Usual,
        at: Point::Answer,
        when: &[When::SeveralTypes],
        budget: NONE,
        why: "An error that is not confirmed depends on objects accessed at several types.",
    },
    Step {
        method: Method::AnyThreads,
        variant: Variant::Usual,
        at: Point::Answer,
        when: &[When::MoreThreads],
        budget: NONE,
        why: "A loop may start more threads than the bound.",
    },
    Step {
        method: Method::Defined,
        variant: Variant::Usual,
        at: Point::Answer,
        when: &[When::Safe],
        budget: NONE,
        why: "Checks that only undefined executions reach prove nothing.",
    },
];

/// What [`next`] needs to know of a run.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The iteration that is to begin.
    pub iteration: usize,
    /// Questions of the abstraction to the prover so far.
    pub questions: u64,
    /// Those at which [`When::Questions`] holds next.
    pub due: u64,
    /// Those at which [`When::Once`] holds; `None` once it was taken.
    pub early: Option<u64>,
    /// Parts of the largest predicate.
    pub predicate_parts: usize,
    /// See [`When::HardValues`].
    pub hard_values: bool,
    /// Edges of the program.
    pub edges: usize,
    /// See [`When::NotReplayed`].
    pub not_replayed: bool,
    /// An earlier attempt at unrolling was given up.
    pub unrolling_given_up: bool,
    /// See [`When::SeveralTypes`].
    pub several_types: bool,
    /// See [`When::MoreThreads`].
    pub more_threads: bool,
    /// See [`When::Safe`].
    pub is_safe: bool,
}

impl State {
    fn holds(&self, when: When) -> bool {
        match when {
            When::Always => true,
            When::Before(number) => self.iteration == number,
            When::PowersOfTwo(first) => first <= self.iteration && self.iteration.is_power_of_two(),
            When::Questions(_) => self.due <= self.questions,
            When::Once(_) => self.early.is_some_and(|early| early <= self.questions),
            When::PredicateParts(parts) => parts < self.predicate_parts,
            When::HardValues => self.iteration == 2 && self.hard_values,
            When::NotReplayed => self.not_replayed,
            When::Decided => false,
            When::SeveralTypes => self.several_types,
            When::MoreThreads => self.more_threads,
            When::Safe => self.is_safe,
        }
    }

    /// Whether the step is not worth while, though its turn has come.
    fn is_left_out(&self, step: &Step) -> bool {
        match (step.method, step.variant) {
            // Not twice before one iteration, where values are hard. Given up on a large program, the rest of the effort is kept
            // for the end.
            (Method::Unrolling, Variant::Usual) => {
                let is_of_hard_values = step.when.contains(&When::HardValues);
                let is_taken = !is_of_hard_values && self.holds(When::HardValues);
                is_taken || self.unrolling_given_up && LARGE < self.edges
            }
            (Method::Induction, Variant::Early) => {
                self.early.is_none() || SMALL < self.edges || self.is_induction_due()
            }
            _ => false,
        }
    }

    /// Whether the turn of induction with its usual effort has come.
    fn is_induction_due(&self) -> bool {
        let usual = |step: &&Step| (step.method, step.variant) == (Method::Induction, Variant::Usual);
        PLAN.iter().find(usual).is_some_and(|step| step.when.iter().any(|when| self.holds(*when)))
    }
}

/// Programs with more edges than this are seldom proved by the early attempt at induction, and the search for candidates
/// costs more there than the attempt.
pub const SMALL: usize = 300;

/// The next step at this point of a run: the first of the plan, from this position on, whose turn has come and whose method
/// is not switched off; with its position.
pub fn next(
    at: Point,
    state: &State,
    methods: &BTreeSet<Method>,
    from: usize,
) -> Option<(usize, &'static Step)> {
    PLAN.iter().enumerate().skip(from).find(|(_, step)| {
        step.at == at
            && methods.contains(&step.method)
            && step.when.iter().any(|when| state.holds(*when))
            && !state.is_left_out(step)
    })
}

/// All methods.
pub fn all() -> BTreeSet<Method> {
    Method::ALL.into_iter().collect()
}

#[cfg(test)]
mod tests;
