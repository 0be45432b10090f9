//! Newton: is a path of the boolean program a path of the C program, and if not, which predicates show it?
//! (\[BR02\]; docs/guide/newton.md has the questions and the refiners.)
//!
//! A path is encoded over its inputs and given to the prover. If it is feasible, the model's values for its
//! arbitrary inputs are returned, for the interpreter to replay. If not, a core of its conditions explains why, and
//! weakest preconditions of that core, taken backwards, give the predicates, each scoped to the frame that it
//! is about.
//!
//! Invariant: nothing here says UNSAFE; a feasible path is a claim of the encoding until the interpreter has replayed
//! it. The crate must not know boolean programs, decision diagrams or concrete executions (its command replays).
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use newton::{Options, Outcome, Refiner, decide, path_text};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "not locked";
//!     proc void main(void) { local int lock; entry L0; exit L3;
//!     L0: lock = 1; goto L1;
//!     L1: skip; goto L2;
//!     L2: check(c0, lock == 1); goto L3; L3: }"#;
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let path = path_text::parse(&program, "main e0\nmain e1\nmain e2").expect("it is a path to the check");
//! let (mode, interrupt) = (encoding::IntMode::Math, smt::Interrupt::new());
//! let options = Options { mode, rlimit: 1_000_000, max_steps: 100, interrupt: &interrupt };
//! let Outcome::Refuted(refuted) = decide(&program, &oracle, &path, &options) else { panic!("the lock is held") };
//! let found = refuted.refine(Refiner::Wp, &Default::default()).predicates;
//! assert_eq!(found[0].predicate.text(&program), "lock == 1");
//! # Ok(())
//! # }
//! ```

mod core;
mod explained;
pub mod generalise;
mod order;
mod past_loops;
mod path_slice;
pub mod path_text;
mod refiners;
mod refuted;
mod shorten;

pub use explained::Needed;
pub use generalise::suggested::{Suggested, Suggestion, Suggestions};
pub use order::{FIRST_PATHS, Seen, in_order, next_paths};
pub use past_loops::{Past, past_loops};
pub use refiners::path_program::identity;
pub use refuted::{Refinement, Refuted};
pub use shorten::shorten;

use alias::AliasOracle;
use encoding::symbolic::walk;
use encoding::{Addresses, Encoder, Inexact, Input, Inputs, IntMode};
use ir::{Path, Program};
use predicates::Predicate;
use smt::Interrupt;
use std::fmt;
use std::ops::Range;

/// Which refiner looks for predicates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Refiner {
    /// Weakest preconditions over the core.
    Wp,
    /// Strongest postconditions over the core.
    Sp,
    /// Weakest preconditions over all conditions of the path, and the conditions themselves where they stand.
    WpAll,
    /// A solution for the path alone, as a tree of its calls.
    Tree,
    /// A solution for the program of the path, loops and recursion included.
    Loops,
}

impl Refiner {
    /// All of them.
    pub const ALL: [Refiner; 5] = [Refiner::Wp, Refiner::Sp, Refiner::WpAll, Refiner::Tree, Refiner::Loops];

    /// Those that work on one path, in the order in which they are tried.
    pub const IN_TURN: [Refiner; 4] = [Refiner::Wp, Refiner::Sp, Refiner::Tree, Refiner::WpAll];

    /// The name that logs use.
    pub fn name(self) -> &'static str {
        match self {
            Refiner::Wp => "weakest preconditions",
            Refiner::Sp => "strongest postconditions",
            Refiner::WpAll => "weakest preconditions of the whole path",
            Refiner::Tree => "interpolants of the path",
            Refiner::Loops => "invariants of the path's loops",
        }
    }

    /// The name that options have, and columns of the log.
    pub fn short_name(self) -> &'static str {
        match self {
            Refiner::Wp => "wp",
            Refiner::Sp => "sp",
            Refiner::WpAll => "wp-all",
            Refiner::Tree => "tree",
            Refiner::Loops => "loops",
        }
    }

    /// What it does, for people who choose one.
    pub fn description(self) -> &'static str {
        match self {
            Refiner::Wp => "Weakest preconditions over the core of the path",
            Refiner::Sp => "Strongest postconditions over the core of the path",
            Refiner::WpAll => "Weakest preconditions over the whole path",
            Refiner::Tree => "Interpolants of the path, as a tree of its calls",
            Refiner::Loops => "Invariants of the loops and of the recursion on the path",
        }
    }
}

/// What an analysis may use.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How integers are modelled.
    pub mode: IntMode,
    /// Z3's resource limit for one check.
    pub rlimit: u64,
    /// The longest path that is analysed, in steps.
    pub max_steps: usize,
    /// Stops the prover, and the analysis soon after.
    pub interrupt: &'a Interrupt,
}

/// A predicate found, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discovered {
    /// The predicate, in normal form.
    pub predicate: Predicate,
    /// Who found it.
    pub refiner: Refiner,
    /// The step of the path before which it is needed (the last one, if it is needed at several).
    pub step: usize,
    /// All of these steps.
    pub places: Vec<Range<usize>>,
}

impl Discovered {
    /// Needed before one step, so far.
    fn new(predicate: Predicate, refiner: Refiner, step: usize) -> Discovered {
        Discovered { predicate, refiner, step, places: std::iter::once(step..step + 1).collect() }
    }

    /// It is needed before this step, too.
    fn is_needed_at(&mut self, step: usize) {
        match self.places.last_mut() {
            Some(last) if last.start == step + 1 => last.start = step,
            Some(last) if last.contains(&step) => {}
            _ => self.places.push(step..step + 1),
        }
    }
}

/// What became of a path.
pub enum Outcome<'a> {
    /// It can be executed, says the encoding.
    Feasible {
        /// The values with which it is.
        inputs: Inputs,
        /// What the encoding over-approximated.
        inexact: Vec<Inexact>,
    },
    /// It cannot be executed.
    Refuted(Box<Refuted<'a>>),
    /// No answer, for this reason.
    GaveUp(GaveUp),
}

/// Why there is no answer about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GaveUp {
    /// It has more steps than are analysed.
    PathLength {
        /// Its steps.
        steps: usize,
        /// [`Options::max_steps`].
        most: usize,
    },
    /// The prover gave up, in its own words.
    Prover(String),
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::PathLength { steps, most } => {
                write!(
                    f,
                    "{}: {steps}, {}: {most}",
                    base::wording("steps of the path"),
                    base::wording("the limit is")
                )
            }
            GaveUp::Prover(why) => write!(f, "{}: {why}", base::wording("the prover gave up on a path")),
        }
    }
}

/// A prover that decides one path after the other: to begin anew for each would cost more than most paths do.
pub struct Paths {
    prover: smt::Z3Prover,
}

impl Paths {
    /// A prover that has decided nothing yet, with the limits of the options.
    pub fn new(options: &Options<'_>) -> Paths {
        Paths { prover: smt::prover(options.rlimit, options.interrupt) }
    }

    /// As [`decide`]. The answer may depend on the paths decided before, as far as the prover has a choice.
    pub fn decide<'a>(
        &mut self,
        program: &'a Program,
        oracle: &'a AliasOracle,
        path: &'a Path,
        options: &Options<'a>,
    ) -> Outcome<'a> {
        let mut scope = smt::Scope::open(&mut self.prover);
        decide_by(program, oracle, path, options, &mut *scope)
    }
}

/// Decides whether a path can be executed. It starts at the program's entry and ends with the edge of a check; calls
/// on it are direct.
pub fn decide<'a>(
    program: &'a Program,
    oracle: &'a AliasOracle,
    path: &'a Path,
    options: &Options<'a>,
) -> Outcome<'a> {
    decide_by(program, oracle, path, options, &mut smt::prover(options.rlimit, options.interrupt))
}

/// The same; what contradicts itself in the slice of the path refutes it, as in the loop.
pub fn decide_by_slice<'a>(
    program: &'a Program,
    oracle: &'a AliasOracle,
    path: &'a Path,
    options: &Options<'a>,
) -> Outcome<'a> {
    let mut prover = smt::prover(options.rlimit, options.interrupt);
    match Analysis::new(program, oracle, path, options, &mut prover).map(Analysis::slice) {
        Ok(Sliced::Refuted(refuted)) => Outcome::Refuted(refuted),
        Ok(Sliced::Possible(_, analysis) | Sliced::Open(analysis)) => analysis.decide(),
        Err(why) => Outcome::GaveUp(why),
    }
}

fn decide_by<'a>(
    program: &'a Program,
    oracle: &'a AliasOracle,
    path: &'a Path,
    options: &Options<'a>,
    prover: &mut dyn smt::Prover,
) -> Outcome<'a> {
    match Analysis::new(program, oracle, path, options, prover) {
        Ok(analysis) => analysis.decide(),
        Err(why) => Outcome::GaveUp(why),
    }
}

/// The analysis of a path that starts at the program's entry and ends with the edge of a check; calls on it are direct.
pub struct Analysis<'a, 'p> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    path: &'a Path,
    options: Options<'a>,
    addresses: Addresses,
    encoded: core::Encoded,
    prover: &'p mut dyn smt::Prover,
}

/// What the conditions say by themselves that decide whether the end of a path is reached.
pub enum Sliced<'a, 'p> {
    /// They contradict each other.
    Refuted(Box<Refuted<'a>>),
    /// They hold with these inputs, with which an execution may get to the end of the path, by it or by another way.
    Possible(Vec<Input>, Analysis<'a, 'p>),
    /// They are all conditions, or the prover gave up.
    Open(Analysis<'a, 'p>),
}

impl<'a, 'p> Analysis<'a, 'p> {
    /// Encodes the path.
    ///
    /// # Errors
    /// It has too many steps.
    pub fn new(
        program: &'a Program,
        oracle: &'a AliasOracle,
        path: &'a Path,
        options: &Options<'a>,
        prover: &'p mut dyn smt::Prover,
    ) -> Result<Analysis<'a, 'p>, GaveUp> {
        if path.steps.len() > options.max_steps {
            return Err(GaveUp::PathLength { steps: path.steps.len(), most: options.max_steps });
        }
        let addresses = Addresses::new(program);
        let enc = Encoder { program, oracle, addresses: &addresses, mode: options.mode };
        let encoded = walk::encode(&enc, path);
        core::assert_axioms(&encoded, prover);
        Ok(Analysis { program, oracle, path, options: *options, addresses, encoded, prover })
    }

    /// Asks for the slice of the path first (\[JM05\]).
    pub fn slice(self) -> Sliced<'a, 'p> {
        let kept = path_slice::conditions(self.program, self.oracle, self.path);
        let all: Vec<usize> = core::conditions(&self.encoded).collect();
        let in_slice = |i: &usize| kept.contains(&self.encoded.assumptions[*i].step);
        let slice: Vec<usize> = all.iter().copied().filter(in_slice).collect();
        if slice.len() == all.len() {
            return Sliced::Open(self);
        }
        match core::decide_among(&self.encoded, self.prover, &self.options, &[slice]) {
            core::Feasibility::Unknown(_) => Sliced::Open(self),
            core::Feasibility::Sat(inputs) => Sliced::Possible(inputs.values, self),
            core::Feasibility::Unsat(core) => Sliced::Refuted(Box::new(self.refuted(core))),
        }
    }

    /// Decides whether the path can be executed.
    pub fn decide(self) -> Outcome<'a> {
        match core::decide(&self.encoded, self.prover, &self.options) {
            core::Feasibility::Unknown(why) => Outcome::GaveUp(GaveUp::Prover(why)),
            core::Feasibility::Sat(inputs) => self.feasible(inputs),
            core::Feasibility::Unsat(core) => Outcome::Refuted(Box::new(self.refuted(core))),
        }
    }

    fn refuted(self, core: Vec<usize>) -> Refuted<'a> {
        let Analysis { program, oracle, path, options, encoded, .. } = self;
        Refuted::new(program, oracle, path, &options, encoded, core)
    }

    fn feasible(self, mut inputs: Inputs) -> Outcome<'a> {
        let Analysis { program, oracle, path, options, addresses, encoded, .. } = self;
        let inexact = encoded.facts.inexact;
        if inexact.contains(&Inexact::SeveralTypes) {
            // Predicates cannot follow addresses, so they refute nothing; but with them the inputs are better ones.
            let enc = Encoder { program, oracle, addresses: &addresses, mode: options.mode };
            // Best are those that the interpreter may repeat.
            for guess in [true, false] {
                let encoded = walk::encode_by_addresses(&enc, path, guess);
                let mut prover = smt::prover(options.rlimit, options.interrupt);
                core::assert_axioms(&encoded, &mut prover);
                if let core::Feasibility::Sat(better) = core::decide(&encoded, &mut prover, &options) {
                    inputs = better;
                    break;
                }
            }
        }
        Outcome::Feasible { inputs, inexact }
    }
}
