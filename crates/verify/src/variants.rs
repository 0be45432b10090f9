//! Variants of a program, which are asked about one after the other while there is no answer: the steps of the plan at
//! [`Point::Answer`] about another program. (The question whether an answer is about defined executions is [`decide()`]'s.)

use crate::cegar::Stop;
use crate::plan::{self, Method, Point, State};
use crate::{Answer, Checks, Observer, Options, Preparation, Refusal, Task, decide};
use std::collections::BTreeSet;

/// A variant of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Variant {
    /// Loops start any number of threads.
    pub any_threads: bool,
    /// Objects that are accessed at several types are their bytes.
    pub bytes: bool,
}

/// What came of the work on a variant.
pub struct Attempt<A> {
    /// The answer; nothing where the work has ended since objects as bytes may help.
    pub answer: Option<A>,
    /// What the answer is.
    pub found: Found,
    /// An error was found that the interpreter could not repeat.
    pub unconfirmed: bool,
    /// Objects that are accessed at several types are no bytes in this variant, and could be.
    pub bytes_may_help: bool,
    /// A loop may start more threads than the bound, and any number could be tried.
    pub more_threads: bool,
}

/// What an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// No check fails.
    Safe,
    /// An execution fails a check.
    Unsafe,
    /// Neither is known.
    Unknown,
    /// The work cannot be done.
    Refused,
}

/// Whoever can work on each variant of a program.
pub trait Variants {
    /// The answer about one.
    type Answer;

    /// Works on a variant; nothing where there is none.
    fn attempt(&mut self, variant: Variant) -> Option<Attempt<Self::Answer>>;

    /// Whether the work is to end with the answer that there is.
    fn is_stopped(&self) -> bool;
}

/// The answer about a program, from the first variant of which the plan asks for no other.
pub fn answer<V: Variants>(variants: &mut V, methods: &BTreeSet<Method>) -> Option<V::Answer> {
    best_from(variants, methods, Variant::default())?.answer
}

fn best_from<V: Variants>(
    variants: &mut V,
    methods: &BTreeSet<Method>,
    first: Variant,
) -> Option<Attempt<V::Answer>> {
    let mut best = variants.attempt(first)?;
    let mut position = 0;
    while best.answer.is_none() || !variants.is_stopped() {
        let state = State {
            several_types: best.bytes_may_help && best.unconfirmed,
            more_threads: best.more_threads && best.found == Found::Unknown && !first.any_threads,
            ..State::default()
        };
        let Some((found, step)) = plan::next(Point::Answer, &state, methods, position) else { break };
        position = found + 1;
        let other = match step.method {
            Method::AnyThreads => {
                best_from(variants, methods, Variant { any_threads: true, ..Variant::default() })
                    .filter(|other| other.found == Found::Safe)
            }
            Method::Bytes => variants
                .attempt(Variant { bytes: true, ..first })
                .filter(|other| best.answer.is_none() || other.found != Found::Unknown),
            _ => None,
        };
        if let Some(other) = other {
            best = Attempt { more_threads: best.more_threads, ..other };
        }
    }
    Some(best)
}

/// A program, and the answer about it.
pub struct Verified {
    /// The program.
    pub task: Task,
    /// Its checks, with what is known of each.
    pub checks: Checks,
    /// The answer.
    pub answer: Answer,
}

/// Whether an execution of a program fails one of its checks (not `all`), or which of them fail.
///
/// # Errors
/// When the program cannot be analysed soundly.
pub fn verify(
    front: &cfront::Frontend,
    preparation: &Preparation<'_>,
    (options, all): (&Options<'_>, bool),
    stop: Stop<'_>,
    observer: &mut dyn Observer,
) -> Result<Verified, Box<Refusal>> {
    let mut variants = ProgramVariants { front, preparation, options, all, stop, observer };
    answer(&mut variants, &options.in_loop.methods).expect("the program itself is a variant")
}

struct ProgramVariants<'a> {
    front: &'a cfront::Frontend,
    preparation: &'a Preparation<'a>,
    options: &'a Options<'a>,
    all: bool,
    stop: Stop<'a>,
    observer: &'a mut dyn Observer,
}

impl Variants for ProgramVariants<'_> {
    type Answer = Result<Verified, Box<Refusal>>;

    fn attempt(&mut self, variant: Variant) -> Option<Attempt<Self::Answer>> {
        // Threads are made sequential in the front end: those who have the source must make this one.
        if variant.any_threads {
            return None;
        }
        let mut preparation = self.preparation.clone();
        preparation.settings.bytes |= variant.bytes;
        let attempt = |answer, found, unconfirmed, bytes_may_help| {
            Some(Attempt { answer, found, unconfirmed, bytes_may_help, more_threads: false })
        };
        let mut task = match Task::new(self.front.clone(), &preparation) {
            Ok(task) => task,
            Err(refusal) => return attempt(Some(Err(refusal)), Found::Refused, false, false),
        };
        let bytes_may_help = !preparation.settings.bytes && passes::has_bytes(&task.program, &task.oracle);
        let all: BTreeSet<_> = Checks::own(&task).into_iter().collect();
        let mut checks = Checks::new(&mut task, &all, self.all);
        let settings = preparation.settings;
        let options = Options { until_bytes: bytes_may_help, settings, ..self.options.clone() };
        let mut cache = c2bp::Cache::new();
        let (answer, _) = decide(&mut task, &mut checks, &options, &mut cache, self.stop, self.observer);
        task.ask_all();
        let (found, unconfirmed) = (answer.found(&checks), answer.is_unconfirmed(&checks));
        let is_answer = !matches!(answer, Answer::Bytes);
        attempt(
            is_answer.then_some(Ok(Verified { task, checks, answer })),
            found,
            unconfirmed,
            bytes_may_help,
        )
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}
