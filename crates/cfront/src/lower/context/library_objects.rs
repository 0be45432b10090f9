//! Variables and procedures that the source does not have: the state of the C library, and the outside of the program.

use crate::library::streams::Watched;
use ir::{ProcId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What the front end adds to the program for functions of the library.
///
/// Invariant: each is made at its first use, and never in a dry run.
#[derive(Debug, Default)]
pub(crate) struct LibraryObjects {
    /// The variable that stands for `errno`.
    pub(crate) errno: Option<VarId>,
    /// The stream that `--check file` watches.
    pub(crate) watched_stream: Option<Watched>,
    /// For each literal that `getenv` gets whether it was read, and its value.
    pub(crate) getenv_variables: BTreeMap<Vec<u32>, (VarId, VarId)>,
    /// Procedures without body that the front end invented: what the outside of the program does.
    pub(crate) outside: BTreeMap<&'static str, ProcId>,
    /// Functions of the library whose addresses initialisers take, where memory is checked.
    pub(crate) addressed_at_start: BTreeSet<String>,
    /// Functions whose calls were marked.
    pub(crate) called_by_name: BTreeSet<String>,
}
