//! What a run of the loop leaves for the next one about the same program, where a check was decided in between: the
//! predicates, how precise the abstraction has become, and the books.
//!
//! Invariant: nothing in here depends on which checks are decided, so that the next run goes on where this one ended.

use super::{Context, History, Loop, Loops};
use crate::log::Log;
use crate::probe;
use crate::record::{Found, Totals};
use crate::save::Saver;
use cmm::{CheckId, EdgeId, ProcId, Program};
use pred::{Precision, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// See the module's documentation.
pub(crate) struct Known {
    precision: Precision,
    max_cube: usize,
    exact: BTreeSet<(ProcId, EdgeId)>,
    excluded: c2bp::Excluded,
    names: BTreeSet<(Scope, String)>,
    loops: BTreeMap<u64, Loops>,
    spent: BTreeMap<CheckId, usize>,
    iterations: usize,
    ignored: usize,
    last_found: Vec<Found>,
    history: History,
    totals: Totals,
}

impl Known {
    /// Nothing but the predicates to begin with.
    pub(crate) fn new(program: &Program, initial: Precision, max_cube: usize) -> Known {
        let names = initial.iter().map(|(_, p)| (p.scope, p.text(program))).collect();
        Known { names, ..Known::empty(initial, max_cube) }
    }

    fn empty(precision: Precision, max_cube: usize) -> Known {
        Known {
            precision,
            max_cube,
            exact: BTreeSet::new(),
            excluded: c2bp::Excluded::new(),
            names: BTreeSet::new(),
            loops: BTreeMap::new(),
            spent: BTreeMap::new(),
            iterations: 0,
            ignored: 0,
            last_found: vec![],
            history: History::default(),
            totals: Totals::default(),
        }
    }

    /// The same work on other predicates: the numbers of iterations and the totals go on.
    pub(crate) fn restarted(self, program: &Program, initial: Precision, max_cube: usize) -> Known {
        Known { iterations: self.iterations, totals: self.totals, ..Known::new(program, initial, max_cube) }
    }

    /// All of it; nothing stays.
    pub(super) fn take(&mut self) -> Known {
        std::mem::replace(self, Known::empty(Precision::new(), self.max_cube))
    }

    /// A loop that goes on from here.
    pub(super) fn start<'c, 'l>(
        self,
        cx: &'c Context<'c>,
        cache: &'c mut c2bp::Cache,
        log: &'c mut Log<'l>,
        saver: Option<&'c mut Saver>,
    ) -> Loop<'c, 'l> {
        Loop {
            cx,
            log,
            saver,
            precision: self.precision,
            cache,
            max_cube: self.max_cube,
            exact: self.exact,
            iterations: self.iterations,
            target: None,
            spent: self.spent,
            last_found: self.last_found,
            history: self.history,
            loops: self.loops,
            excluded: self.excluded,
            // The next program may be sliced in another way: steps are known of this one only.
            clauses: c2bp::Clauses::new(),
            guided: probe::Budget::default(),
            ignored: self.ignored,
            names: self.names,
            possible: None,
            others: 1,
            paths: None,
            totals: self.totals,
        }
    }

    /// What a loop that has ended leaves.
    pub(super) fn left_by(state: Loop<'_, '_>) -> Known {
        Known {
            precision: state.precision,
            max_cube: state.max_cube,
            exact: state.exact,
            excluded: state.excluded,
            names: state.names,
            loops: state.loops,
            spent: state.spent,
            iterations: state.iterations,
            ignored: state.ignored,
            last_found: state.last_found,
            history: state.history,
            totals: state.totals,
        }
    }
}
