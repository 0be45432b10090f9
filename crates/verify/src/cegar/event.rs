//! Events of the loop, as data: observers turn them into logs, tables and files.
//!
//! Invariant: apart from times, all events are the same for every run and any number of threads.

use crate::plan::{Effort, Step};
use bmc::Unrolled;
use bmc::horn::Solved;
use bp::Program;
use c2bp::{Abstraction, Clause, Combination};
use ir::{CheckId, EdgeId, Path, PathStep, ProcId};
use newton::{GaveUp, Refiner, Refuted, Suggestion};
use predicates::{Precision, PredId};
use std::time::Duration;

/// A stage of the loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// c2bp makes the boolean program.
    Abstraction,
    /// A model checker looks for an error in it.
    Reachability,
    /// newton analyses the path.
    Refinement,
    /// The interpreter repeats a counterexample.
    Replay,
    /// The program is unrolled.
    Unrolling,
    /// Checks are proved by induction.
    Induction,
}

/// Something that has happened in an iteration.
pub enum Event<'a> {
    /// A stage begins.
    Begins {
        /// The iteration.
        iteration: usize,
        /// The stage.
        stage: Stage,
        /// The predicates so far.
        precision: &'a Precision,
    },
    /// The turn of a step of the plan has come.
    Takes {
        /// The step.
        step: &'static Step,
        /// The effort that it gets.
        effort: Effort,
    },
    /// The abstraction was made from these predicates.
    Abstracted {
        /// The iteration.
        iteration: usize,
        /// The predicates.
        precision: &'a Precision,
        /// The abstraction.
        abstraction: &'a Abstraction,
        /// That of the iteration before.
        before: Option<&'a Program>,
    },
    /// A path of the abstraction to a failing check was found.
    Reached {
        /// The iteration.
        iteration: usize,
        /// Its number in the iteration: the first one decides; others end at the same check or at another one.
        number: usize,
        /// The path.
        path: &'a Path,
    },
    /// The path cannot be executed.
    Refuted {
        /// The path.
        path: &'a Path,
        /// The steps that contradict each other, ascending.
        core: &'a [usize],
        /// Why.
        refuted: &'a Refuted<'a>,
    },
    /// The program was unrolled.
    Unrolled {
        /// The most iterations of a loop.
        turns: usize,
        /// What is not known was taken to be as in the interpreter ([`bmc::guess`]).
        guess: bool,
        /// What came of it.
        answer: &'a Unrolled,
    },
    /// The program's Horn clauses were solved, or not.
    Solved {
        /// What came of it.
        solved: &'a Solved,
    },
    /// Induction was tried.
    Inducted {
        /// Turns at once.
        turns: usize,
        /// Candidates for invariants, and how many of them are.
        candidates: (usize, usize),
        /// Whether all checks hold; `None` when the work was too much.
        proved: Option<bool>,
    },
    /// An iteration is over.
    Iteration {
        /// What it did.
        record: &'a Record,
        /// The predicates after it.
        precision: &'a Precision,
        /// What all iterations have taken.
        totals: &'a Totals,
    },
}

/// Who watches the loop.
pub trait Observer {
    /// Takes note of an event.
    fn event(&mut self, event: &Event<'_>);
}

/// Nobody looks.
impl Observer for () {
    fn event(&mut self, _: &Event<'_>) {}
}

/// One iteration.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its number, from 1.
    pub number: usize,
    /// The check at the end of its path; `None` when there was no path.
    pub check: Option<CheckId>,
    /// Predicates at its start.
    pub predicates: usize,
    /// Further executions before it, without regard to paths.
    pub searched: Option<Probes>,
    /// The abstraction; `None` when it was not finished, as below.
    pub abstraction: Option<Abstracted>,
    /// The model checker's run.
    pub reachability: Option<Checked>,
    /// The path's analysis; `None` when there was no path.
    pub refinement: Option<Refined>,
}

/// What the abstraction did.
#[derive(Clone, Debug, Default)]
pub struct Abstracted {
    /// What the questions took.
    pub stats: c2bp::Stats,
    /// Time.
    pub time: Duration,
}

/// What the model checker did.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Its name.
    pub checker: &'static str,
    /// Length of the path to the error, if there is one.
    pub steps: Option<usize>,
    /// Vertices of the boolean program that were reached, if they were counted.
    pub vertices: Option<usize>,
    /// Nodes of decision diagrams.
    pub bdd_nodes: usize,
    /// Time.
    pub time: Duration,
}

/// The result of the analysis of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathAnswer {
    /// It can be executed, with this many inputs.
    Feasible(usize),
    /// It cannot be executed: this many steps contradict each other, according to the refiner used last.
    Refuted(Option<(usize, Refiner)>),
    /// There is no answer.
    GaveUp(GaveUp),
}

/// The findings of a path's analysis.
#[derive(Clone, Debug)]
pub struct Refined {
    /// Steps of the path.
    pub steps: usize,
    /// The answer.
    pub answer: PathAnswer,
    /// Paths to other checks that were analysed as well.
    pub others: usize,
    /// Paths to the same check by other calls that were analysed.
    pub by_calls: usize,
    /// Paths that avoid the conflict of the first one that were analysed.
    pub around: usize,
    /// Refiners that refuted the path.
    pub refutations: usize,
    /// What executions close to the path showed.
    pub probed: Option<Probes>,
    /// Predicates found that were not known.
    pub found: Vec<Found>,
    /// Blocked cubes: values that no state has, or that no step takes, excluded from now on.
    pub blocked: Vec<Blocked>,
    /// The escalation after an iteration without new predicates.
    pub escalation: Option<Escalation>,
    /// Time.
    pub time: Duration,
}

impl Refined {
    /// A record in which nothing is learned yet from a path with this many steps.
    pub fn new(steps: usize, answer: PathAnswer) -> Refined {
        Refined {
            steps,
            answer,
            others: 0,
            by_calls: 0,
            around: 0,
            refutations: 0,
            probed: None,
            found: vec![],
            blocked: vec![],
            escalation: None,
            time: Duration::ZERO,
        }
    }

    /// Whether the path cannot come back.
    pub fn is_progress(&self) -> bool {
        !self.found.is_empty() || !self.blocked.is_empty()
    }
}

/// Executions of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probes {
    /// How many.
    pub runs: usize,
    /// Whether the last one fails a check.
    pub fails: bool,
}

/// Where a predicate comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finder {
    /// This refiner has found it on a path.
    Path(Refiner),
    /// The program suggests it, since paths have needed others like it.
    Suggestion(Suggestion),
}

impl Finder {
    /// The name that columns of the log have.
    pub fn name(self) -> &'static str {
        match self {
            Finder::Path(refiner) => refiner.short_name(),
            Finder::Suggestion(why) => why.name(),
        }
    }
}

/// A predicate and why it was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The predicate.
    pub predicate: PredId,
    /// Who found it.
    pub finder: Finder,
    /// The step for which it was found; of a state's value the one that compares the variable with it.
    pub step: Option<PathStep>,
    /// Its index on the path that the iteration is about; `None` where another path has given it.
    pub index: Option<usize>,
}

/// Values of predicates that never occur together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// In a state of this procedure.
    State(ProcId, Combination),
    /// Before and behind this edge (\[DD01\]).
    Step((ProcId, EdgeId), Clause),
}

/// What is done for lack of new predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escalation {
    /// Conjunctions of up to this many predicates are tried.
    LongerCubes(usize),
    /// This many more statements are abstracted exactly.
    ExactStatements(usize),
}

/// How long each stage has taken in all iterations, and what it has done.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// What the abstraction's questions took.
    pub abstraction: c2bp::Stats,
    /// Time for c2bp.
    pub c2bp: Duration,
    /// Time for the model checker.
    pub bebop: Duration,
    /// Time for newton.
    pub newton: Duration,
    /// The most nodes of decision diagrams in an iteration.
    pub most_nodes: usize,
}

impl Totals {
    /// Adds an iteration.
    pub(crate) fn add(&mut self, record: &Record) {
        if let Some(a) = &record.abstraction {
            self.abstraction += a.stats;
            self.c2bp += a.time;
        }
        if let Some(r) = &record.reachability {
            self.bebop += r.time;
            self.most_nodes = self.most_nodes.max(r.bdd_nodes);
        }
        self.newton += record.refinement.as_ref().map_or(Duration::ZERO, |n| n.time);
    }

    /// The time of each stage, by the name of its tool.
    pub fn times(&self) -> [(&'static str, Duration); 3] {
        [("c2bp", self.c2bp), ("bebop", self.bebop), ("newton", self.newton)]
    }
}
