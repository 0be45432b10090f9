//! What is asked of the passes, and what the front end knows beside the program.

#[cfg(doc)]
use crate::checks;
use crate::checks::{Describe, Place, ProgramEnds};
use crate::indirect_calls::UnknownCallees;
use crate::threads::Bounds;
use alias::AliasMode;
use ir::{CheckKind, ProcId, VarId};
use std::collections::BTreeSet;

/// What is asked of the passes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How it is found out what pointers can point to.
    pub alias: AliasMode,
    /// The kinds of checks.
    pub checks: BTreeSet<CheckKind>,
    /// The ends of the program at which [`CheckKind::Leak`] applies.
    pub leaks_at: ProgramEnds,
    /// Most threads.
    pub threads: usize,
    /// Any number of threads that loops start.
    pub any_threads: bool,
    /// Whether calls are marked for rules.
    pub marked: bool,
    /// Objects that are accessed at several types become their bytes.
    pub bytes: bool,
    /// The callees of pointers that hold unknown addresses.
    pub unknown_callees: UnknownCallees,
    /// Removes what cannot influence a check.
    pub slice: bool,
    /// Replaces reads of constants and copies.
    pub propagate: bool,
}

impl Settings {
    pub(super) fn wants(&self, kind: CheckKind) -> bool {
        self.checks.contains(&kind)
    }

    /// Whether only the program's own checks are asked for.
    pub(super) fn only_reach(&self) -> bool {
        self.checks.iter().all(|kind| *kind == CheckKind::Reach)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            alias: AliasMode::Das,
            checks: BTreeSet::from([CheckKind::Reach]),
            leaks_at: ProgramEnds::default(),
            threads: Bounds::default().threads,
            any_threads: false,
            marked: false,
            bytes: false,
            unknown_callees: UnknownCallees::Refused,
            slice: true,
            propagate: true,
        }
    }
}

/// What the front end knows of the source beside the program.
#[derive(Default)]
pub struct Source<'a> {
    /// The variable that holds the rounding mode, where the program sets it.
    pub rounding_mode: Option<VarId>,
    /// The globals of which each thread has its own.
    pub per_thread: BTreeSet<VarId>,
    /// Mutexes may be of several kinds.
    pub mutex_kinds: bool,
    /// The objects with static storage that the program defines.
    pub statics: Vec<VarId>,
    /// See [`checks::Wanted::covered`].
    pub covered: BTreeSet<ProcId>,
    /// See [`checks::Wanted::strings`].
    pub strings: BTreeSet<ProcId>,
    /// See [`checks::Wanted::describe`].
    pub describe: Option<&'a Describe<'a>>,
    /// See [`checks::Wanted::place`].
    pub place: Option<&'a Place<'a>>,
}
