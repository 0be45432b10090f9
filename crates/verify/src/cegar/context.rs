//! What a run of the loop is given: the program, options, limits.

use crate::cegar::facts::Source;
use crate::cegar::reason::LeftOut;
use crate::plan::{self, Method};
use alias::AliasOracle;
use base::{SourceMap, Span};
use bmc::k_induction::Candidate;
use encoding::IntMode;
use ir::{CheckId, Program};
use newton::Refiner;
use passes::Blocks;
use smt::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use zones::Facts;

/// What the loop works on.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program whose executions count: counterexamples are replayed on it.
    pub whole: &'a Program,
    /// The same without what cannot matter to any check; locations and edges have the same ids.
    pub program: &'a Program,
    /// The oracle of `program`.
    pub oracle: &'a AliasOracle,
    /// For comments in abstractions.
    pub sources: Option<&'a SourceMap>,
    /// The expressions of which several branches are parts.
    pub conditions: &'a [Span],
    /// How integers are modelled.
    pub mode: IntMode,
    /// Whether another mode may be tried ([`Conclusion::SwitchToBits`](crate::cegar::Conclusion::SwitchToBits)).
    pub may_switch: bool,
    /// Behaviour that is left out: an error found is one all the same, but nothing is safe.
    pub left_out: Option<&'a LeftOut>,
    /// Why some checks hold, which are assumptions of `program`.
    pub facts: Option<&'a Facts>,
}

impl<'a> Subject<'a> {
    /// A program whose calls through pointers are resolved, as it is, with mathematical integers.
    pub fn new(program: &'a Program, oracle: &'a AliasOracle) -> Subject<'a> {
        Subject {
            whole: program,
            program,
            oracle,
            sources: None,
            conditions: &[],
            mode: IntMode::Math,
            may_switch: true,
            left_out: None,
            facts: None,
        }
    }
}

/// How the loop works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The refiners to try on a path, in order.
    pub refiners: Vec<Refiner>,
    /// Whether a path whose loops were met before is refuted by invariants of these first.
    pub loops_when_due: bool,
    /// What is abstracted as one.
    pub blocks: Blocks,
    /// Which error paths an iteration learns from.
    pub paths: Paths,
    /// The methods that may be used.
    pub methods: BTreeSet<Method>,
    /// The sources of candidate invariants besides the paths.
    pub sources: BTreeSet<Source>,
    /// Candidates for invariants that are decided before the first iteration.
    pub given: Vec<Candidate>,
    /// All candidates are tried at once, not the cheaper ones first: a proof by induction is to be enough for checks that were
    /// decided otherwise, too.
    pub all_candidates: bool,
    /// Whether a certificate is wanted of a safe program.
    pub certificate: bool,
    /// Iterations, those of earlier runs included.
    pub iterations: usize,
    /// A weaker answer exists already: the run ends before the next expensive step.
    pub is_answered: bool,
    /// Iterations that a check gets before it has to wait for others; `None` for any number.
    pub patience: Option<usize>,
    /// Limits on the iterations of single checks.
    pub hurried: BTreeMap<CheckId, usize>,
}

/// Which error paths of a boolean program an iteration learns from; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Paths {
    /// One path.
    First,
    /// One to each of some other checks.
    Checks,
    /// Also paths that avoid the conflict that refuted the first ones.
    Around,
}

impl Options {
    /// Whether a method may be used; induction has nothing to do without candidates.
    pub(crate) fn uses(&self, method: Method) -> bool {
        let has_candidates = || !self.sources.is_empty() || !self.given.is_empty();
        self.methods.contains(&method) && (method != Method::Induction || has_candidates())
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            refiners: Refiner::IN_TURN.to_vec(),
            loops_when_due: true,
            blocks: Blocks::Loops,
            paths: Paths::Around,
            methods: plan::all(),
            sources: Source::CANDIDATES.into_iter().collect(),
            given: vec![],
            all_candidates: false,
            certificate: false,
            iterations: 1000,
            is_answered: false,
            patience: None,
            hurried: BTreeMap::new(),
        }
    }
}

/// What ends a run early.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    /// Set when the run is to end.
    pub flag: &'a AtomicBool,
    /// Stops the provers.
    pub interrupt: &'a Interrupt,
}

impl Stop<'_> {
    /// Whether the run is to end.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

/// What the loop works with.
pub struct Context<'a> {
    /// The program.
    pub task: Subject<'a>,
    /// How.
    pub options: &'a Options,
    /// The limits.
    pub stop: Stop<'a>,
}
