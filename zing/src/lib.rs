//! Zing: whether an execution of a program with references can fail \[QR05\]. Data live on a heap without bound,
//! procedures recurse, threads interleave; states are explicit, and procedures are answered by summaries over the part
//! of the heap that they see.
//!
//! [`parse`] and [`compile`] make a program ready to run; [`check()`] looks for a failing execution. A failure is
//! reported only after its execution has been replayed, statement by statement. Invariants: every engine runs the same
//! compiled form; the interpreter that tests compare with shares no code with them but that form. The crate must not
//! know C, decision diagrams or a prover.
//!
//! ```
//! use zing::{Answer, Options, Overrides};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "class Box { bool full; };
//!     class Main { activate static void main() {
//!         Box a; Box b;
//!         a = new Box(); b = a; a.full = true;
//!         assert(b.full == false);
//!     } };";
//! let program = zing::parse(text, base::SourceMap::new().add("box.zn", None)).map_err(|mistake| vec![mistake])?;
//! let code = zing::compile(&program, &Overrides::new())?;
//! let outcome = zing::check(&code, &Options::new(&false.into()));
//! assert!(matches!(outcome.answer, Ok(Answer::Fails { trace: Some(_), .. })));
//! # Ok(())
//! # }
//! ```

pub mod ast;
mod boolean;
mod checker;
pub mod code;
mod compile;
mod exec;
mod explore;
mod lexer;
mod live;
mod parser;
mod print;
pub mod render;
mod replay;
mod summary;
mod threads;
pub mod value;

pub use boolean::{Boolean, from_boolean};
pub use checker::Zing;
pub use compile::{Overrides, compile};
pub use parser::{MAX_DEPTH, parse};
pub use print::{expr as print_expr, print};
pub use replay::{Note, Snapshot, Trace, TraceStep};

use base::IndexVec;
use code::{Code, Fault, Pc};
use std::fmt;
use std::sync::atomic::AtomicBool;

/// What calls are answered by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answers {
    /// Nothing: procedures are entered, with the stack.
    None,
    /// Summaries of what the call sees \[QR05 §5\].
    Visible,
    /// Summaries of what the procedure examines \[QR05 §6\].
    #[default]
    Patterns,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// What calls are answered by.
    pub summaries: Answers,
    /// Whether steps of a thread that no other can see are taken together with the next one that others can see.
    pub transactions: bool,
    /// Most states that may be found.
    pub max_states: usize,
    /// Whether the trace holds the states before its steps.
    pub snapshots: bool,
    /// Setting it ends the search soon.
    pub stop: &'a AtomicBool,
}

impl<'a> Options<'a> {
    /// Patterns, transactions, any number of states, no snapshots.
    pub fn new(stop: &'a AtomicBool) -> Options<'a> {
        Options {
            summaries: Answers::Patterns,
            transactions: true,
            max_states: usize::MAX,
            snapshots: false,
            stop,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The stop flag was set.
    Interrupted,
    /// More states were found than may be.
    States(usize),
    /// A number does not fit into 32 bits.
    Number,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Interrupted => f.write_str("interrupted"),
            Limit::States(n) => write!(f, "more than {n} states"),
            Limit::Number => f.write_str("a number that does not fit into 32 bits"),
        }
    }
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An execution fails.
    Fails {
        /// How.
        fault: Fault,
        /// At which statement.
        pc: Pc,
        /// The execution, unless it is too long to be kept.
        trace: Option<Trace>,
    },
    /// No execution fails.
    Holds,
}

/// Figures about a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States kept, of the whole program and of procedures.
    pub states: usize,
    /// Most threads at a time.
    pub threads: usize,
    /// Pairs of a procedure and a state (or pattern) that it was entered in.
    pub summaries: usize,
    /// The effects of all of them.
    pub effects: usize,
    /// Calls that were answered by summaries.
    pub lookups: u64,
}

/// The answer, and what was found on the way.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer, or why there is none.
    pub answer: Result<Answer, Limit>,
    /// Figures.
    pub stats: Stats,
    /// For each procedure that has any: how many summaries, and how many effects in all.
    pub per_procedure: Vec<(String, usize, usize)>,
    /// Which statements some execution reaches, as far as the search went.
    pub reached: IndexVec<Pc, bool>,
}

impl Outcome {
    /// How many `new` there are, and how many of them were reached.
    pub fn allocations(&self, code: &Code) -> (usize, usize) {
        let is_new = |node: &code::Node| matches!(node.instr, code::Instr::New(..));
        let all: Vec<Pc> = code.nodes.ids().filter(|pc| is_new(code.node(*pc))).collect();
        let reached = all.iter().filter(|pc| self.reached[**pc]).count();
        (all.len(), reached)
    }
}

/// A failure that the search found.
pub(crate) struct Found {
    pub(crate) fault: Fault,
    pub(crate) pc: Pc,
    /// All decisions; `None` if they are too many.
    pub(crate) schedule: Option<Vec<explore::Item>>,
}

/// Looks for a failing execution.
pub fn check(code: &Code, options: &Options<'_>) -> Outcome {
    let live = live::Live::new(code);
    let rules = threads::Rules { code, live: &live, transactions: options.transactions };
    let patterns = options.summaries == Answers::Patterns;
    let summaries = (options.summaries != Answers::None)
        .then(|| summary::Summaries::new(code, &live, patterns, options.stop));
    let mut explorer = explore::Explorer::new(rules, summaries, options.max_states, options.stop);
    let found = explorer.search();
    let answer = found.map(|found| match found {
        None => Answer::Holds,
        Some(Found { fault, pc, schedule }) => {
            // What is not read any more decides nothing but what other threads can reach.
            let own = code.is_sequential().then(|| live::Live::new(code).without_resets());
            let shown = own.as_ref().unwrap_or(&live);
            let trace = schedule
                .and_then(|s| replay::replay(code, shown, options.transactions, &s, options.snapshots));
            if let Some(trace) = &trace {
                let end = trace.steps.last().map(|s| s.pc);
                assert!(
                    trace.fault == fault && end == Some(pc),
                    "the run again fails where the search failed"
                );
            }
            Answer::Fails { fault, pc, trace }
        }
    });
    Outcome {
        answer,
        stats: explorer.stats(),
        per_procedure: explorer.per_procedure(),
        reached: explorer.reached(),
    }
}
