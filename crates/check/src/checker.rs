//! The interface of all checkers of boolean programs: a question and a budget in, an answer with its execution out.

use crate::target::Goal;
use crate::trace::Trace;
use bp::{Cfg, System};
use std::fmt;
use std::sync::atomic::AtomicBool;

/// Whether one of the goals can be reached.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program.
    pub system: &'a System,
    /// The goals.
    pub goals: Vec<Goal>,
    /// Most context switches of the executions that count; `None` for any number of them.
    pub switches: Option<u32>,
    /// Whether an execution is wanted.
    pub execution: bool,
}

impl<'a> Question<'a> {
    /// Whether an assertion can fail, with its execution, whatever the number of context switches.
    pub fn assertions(system: &'a System) -> Question<'a> {
        let graphs = system.codes.iter().enumerate();
        let goals = graphs.flat_map(|(g, code)| code.cfg.failures().into_iter().map(move |v| (g, v)));
        Question { system, goals: goals.collect(), switches: None, execution: true }
    }

    /// The graph of a sequential program with the goals in it.
    ///
    /// # Errors
    /// When the program has threads.
    pub fn sequential(&self) -> Result<(&'a Cfg, Vec<bp::VertexId>), Unknown> {
        if self.system.concurrent {
            return Err(Unknown::Unsupported("it has threads"));
        }
        Ok((&self.system.codes[0].cfg, self.goals.iter().map(|(_, v)| *v).collect()))
    }
}

/// How much may be done.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// Setting it ends the search soon.
    pub stop: &'a AtomicBool,
    /// Most units of work: nodes of decision diagrams made, or states, whatever the checker makes.
    pub effort: Option<u64>,
}

/// The answer of a checker.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A goal is reached.
    Reachable {
        /// One that is, if that is known.
        goal: Option<Goal>,
        /// How.
        execution: Execution,
    },
    /// No goal is reachable.
    Unreachable,
    /// No goal is reachable with this many context switches; with more it is not known.
    WithinBound(u32),
    /// There is no answer.
    Unknown(Unknown),
}

/// How a goal is reached.
#[derive(Clone, Debug)]
pub enum Execution {
    /// It was not requested, or cannot be determined.
    None,
    /// It is too long to be kept.
    TooLong,
    /// An execution of a sequential program.
    Trace(Trace),
    /// An execution of a concurrent program.
    Contexts(Contexts),
}

/// The context switches on the way to a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contexts {
    /// The numbers of the threads, context by context.
    pub threads: Vec<usize>,
    /// The shared state at each context switch.
    pub switches: Vec<Shared>,
    /// The goal.
    pub goal: Goal,
}

/// The state that threads share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// The values of the shared variables, in their order.
    pub values: Vec<bool>,
    /// The threads that were started, if that was kept, each with the values that it got for its formals, or for the
    /// variables of the procedure that starts it, and perhaps more values that mean nothing.
    pub started: Vec<(usize, Vec<bool>)>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The stop flag was set.
    Interrupted,
    /// The effort allowed was not enough.
    Effort,
    /// There is no room for more nodes of decision diagrams.
    Nodes,
    /// This many variables of decision diagrams are needed, which are too many.
    Variables(usize),
    /// There are more than this many states.
    States(usize),
    /// More threads may be started than the system has.
    Threads(usize),
    /// The checker does not decide such programs; the text ends a sentence about the program.
    Unsupported(&'static str),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::Interrupted => f.write_str("interrupted"),
            Unknown::Effort => f.write_str("the effort allowed was not enough"),
            Unknown::Nodes => f.write_str("no room for more nodes of decision diagrams"),
            Unknown::Variables(n) => write!(f, "{n} variables of decision diagrams are too many"),
            Unknown::States(n) => write!(f, "more than {n} states"),
            Unknown::Threads(n) => write!(f, "more than {n} threads"),
            Unknown::Unsupported(what) => f.write_str(what),
        }
    }
}

/// An answer with figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// Vertices that are reached, if they were counted.
    pub vertices: Option<usize>,
    /// Nodes of decision diagrams that stand for what is reached.
    pub nodes: usize,
    /// States, where they are kept one by one.
    pub states: usize,
}

impl Report {
    /// No figures.
    pub fn new(answer: Answer) -> Report {
        Report { answer, vertices: None, nodes: 0, states: 0 }
    }
}

impl From<Unknown> for Report {
    fn from(unknown: Unknown) -> Report {
        Report::new(Answer::Unknown(unknown))
    }
}

/// A model checker of boolean programs.
pub trait Checker: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Answers the question. Answers of different checkers never contradict each other; traces are executions
    /// ([`crate::explicit::check_trace`]).
    fn check(&self, question: &Question<'_>, budget: Budget<'_>) -> Report;
}
