//! The formula files that come with the program, and how one is read.

use crate::check::check;
use crate::ir::Formula;
use crate::prelude::Model;
use crate::syntax::{File, parse};
use base::{Diagnostic, FileId, SourceMap};

/// An algorithm: a formula file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Whether the goal has to be moved to the procedure that starts.
    pub moved: bool,
}

macro_rules! algorithm {
    ($name:literal, $moved:literal) => {
        Algorithm { name: $name, text: include_str!(concat!("../formulae/", $name, ".fp")), moved: $moved }
    };
}

/// The simple algorithm by summaries.
pub const SUMMARY: Algorithm = algorithm!("summary", true);
/// The entry-forward algorithm.
pub const EF: Algorithm = algorithm!("ef", false);
/// The entry-forward algorithm with split returns.
pub const EF_SPLIT: Algorithm = algorithm!("ef-split", false);
/// The optimised entry-forward algorithm.
pub const EF_OPT: Algorithm = algorithm!("ef-opt", false);
/// Concurrent programs under a bound on context switches.
pub const BOUNDED_CONTEXT_SWITCH: Algorithm = algorithm!("bounded-context-switch", false);
/// Concurrent programs whose threads do not recurse, under a bound on context switches; it mentions relations that a
/// [`World`](crate::translate::World) gives.
pub const ALL_THREADS: Algorithm = algorithm!("all-threads", false);
/// What gives traces of concurrent programs their rings: [`BOUNDED_CONTEXT_SWITCH`] along one schedule. It mentions
/// relations that only such a schedule gives.
pub(crate) const SCHEDULE: Algorithm = algorithm!("schedule", false);

/// Those for sequential programs.
pub const SEQUENTIAL: [Algorithm; 4] = [SUMMARY, EF, EF_SPLIT, EF_OPT];

/// Reads a formula file.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn file(text: &str, name: &str, sources: &mut SourceMap) -> Result<File, Diagnostic> {
    let file: FileId = sources.add(name, Some(text.into()));
    parse(text, file)
}

/// Reads a formula file for a model.
///
/// # Errors
/// What is wrong with it.
pub fn formula(
    text: &str,
    name: &str,
    sources: &mut SourceMap,
    model: &impl Model,
) -> Result<Formula, Vec<Diagnostic>> {
    let file = file(text, name, sources).map_err(|error| vec![error])?;
    check(&file, &model.prelude())
}
