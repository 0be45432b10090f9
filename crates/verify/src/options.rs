//! How checks are decided.

use crate::cegar::{self, Blocks, Candidate, Knowledge, Paths, Source};
use crate::plan::Method;
use base::FileId;
use newton::Refiner;
use passes::Settings;
use std::collections::BTreeSet;

/// See the module's documentation. The default is what `slam check` does.
#[derive(Clone)]
pub struct Options<'a> {
    /// The methods that may be used.
    pub methods: BTreeSet<Method>,
    /// The sources of candidate invariants besides the paths.
    pub sources: BTreeSet<Source>,
    /// What finds predicates; nothing: only those given are used.
    pub refiners: Vec<Refiner>,
    /// Refiners that treat whole loops are asked only when their turn has come.
    pub loops_when_due: bool,
    /// What is abstracted as one step.
    pub blocks: Blocks,
    /// Error paths that an iteration learns from.
    pub paths: Paths,
    /// Length of the longest cubes.
    pub max_cube: usize,
    /// Iterations.
    pub iterations: usize,
    /// The text of a file of predicates with which the loop begins, and the file.
    pub predicates: Option<(FileId, &'a str)>,
    /// Candidates for invariants that are decided before the first iteration.
    pub given: Vec<Candidate>,
    /// Whether a certificate is wanted of a safe program.
    pub certificate: bool,
    /// The work ends where another variant of the program may help, with its objects as bytes.
    pub until_bytes: bool,
    /// What the passes behind [`Stage::Whole`](passes::Stage::Whole) do with programs that are made from this one.
    pub settings: Settings,
}

impl Default for Options<'_> {
    fn default() -> Self {
        let cegar::Options { refiners, loops_when_due, blocks, paths, methods, sources, iterations, .. } =
            cegar::Options::default();
        Options {
            methods,
            sources,
            refiners,
            loops_when_due,
            blocks,
            paths,
            max_cube: Knowledge::MAX_CUBE,
            iterations,
            predicates: None,
            given: vec![],
            certificate: false,
            until_bytes: false,
            settings: Settings::default(),
        }
    }
}
