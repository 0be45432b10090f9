//! The knowledge about a program: the predicates, how precise its abstraction has become, and the totals. It grows
//! during runs of the loop, each of which continues where the one before has ended, until [`Knowledge::restart`].
//!
//! Invariant: predicates, blocked cubes and exact edges are right whatever checks are assumed to hold; what induction has tried
//! and shown is about the assumptions of its time.

use crate::cegar::event::{Record, Totals};
use crate::cegar::facts::{Fact, WhyNot};
use crate::cegar::history::History;
use crate::cegar::shown::Progress;
use executions::guided::Search;
use ir::{CheckId, EdgeId, ProcId};
use predicates::Precision;
use std::collections::{BTreeMap, BTreeSet};

/// See the module's documentation.
pub struct Knowledge {
    pub(crate) precision: Precision,
    /// The longest conjunctions that the abstraction tries.
    pub(crate) max_cube: usize,
    /// Edges with exact abstractions.
    pub(crate) exact: BTreeSet<(ProcId, EdgeId)>,
    /// Cubes that are blocked, since no state has them.
    pub(crate) blocked: c2bp::Excluded,
    /// The programs of the paths met so far (see [`newton::identity`]).
    pub(crate) loops: BTreeMap<u64, newton::Seen>,
    /// Iterations spent on each check.
    pub(crate) spent: BTreeMap<CheckId, usize>,
    pub(crate) iterations: usize,
    pub(crate) history: History,
    pub(crate) totals: Totals,
    /// Executions without regard to paths.
    pub search: Search,
    pub(crate) induction: Progress,
}

impl Default for Knowledge {
    fn default() -> Knowledge {
        Knowledge::new(Precision::new(), Knowledge::MAX_CUBE)
    }
}

impl Knowledge {
    /// The longest conjunctions that abstractions try at first.
    pub const MAX_CUBE: usize = 3;

    /// Nothing but the predicates to begin with, and the longest conjunctions to try.
    pub fn new(initial: Precision, max_cube: usize) -> Knowledge {
        Knowledge {
            precision: initial,
            max_cube,
            exact: BTreeSet::new(),
            blocked: c2bp::Excluded::new(),
            loops: BTreeMap::new(),
            spent: BTreeMap::new(),
            iterations: 0,
            history: History::default(),
            totals: Totals::default(),
            search: Search::default(),
            induction: Progress::default(),
        }
    }

    /// The same work on other predicates: the numbers of iterations and the totals go on.
    pub fn restart(&mut self, initial: Precision, max_cube: usize) {
        let (totals, search) = (std::mem::take(&mut self.totals), std::mem::take(&mut self.search));
        let induction = std::mem::take(&mut self.induction);
        let new = Knowledge::new(initial, max_cube);
        *self = Knowledge { iterations: self.iterations, totals, search, induction, ..new };
    }

    /// The predicates.
    pub fn precision(&self) -> &Precision {
        &self.precision
    }

    /// What induction has shown so far, with what it knew of the checks then.
    pub fn facts(&self) -> &[Fact] {
        self.induction.facts()
    }

    /// What became of a candidate that was given, by its number.
    ///
    /// # Errors
    /// Why it was not shown.
    pub fn given(&self, n: usize) -> Result<(), WhyNot> {
        self.induction.given(n)
    }

    /// What all iterations have taken.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Takes note of an iteration that is over.
    pub(crate) fn learned(&mut self, record: &Record) {
        self.history.learned(record);
        self.totals.add(record);
    }
}
