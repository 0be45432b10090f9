//! The model checkers that may take bebop's place in deciding whether the abstraction reaches a failing check.

use bebop::Trace;
use bp::Cfg;
use cli::slam::Engine;
use std::sync::atomic::AtomicBool;

/// What such a model checker found.
pub(super) enum Found {
    /// No assertion can fail.
    Nothing,
    /// One can fail, in a run that is too long to be kept.
    TooLong,
    /// One can fail.
    Trace(Trace),
}

/// The same with figures.
pub(super) struct Gave {
    pub(super) found: Found,
    /// Vertices of the boolean program that are reached, if they were counted.
    pub(super) vertices: Option<usize>,
    /// Nodes of decision diagrams.
    pub(super) bdd_nodes: usize,
}

/// Why there is no answer.
pub(super) enum Limit {
    /// It was stopped.
    Interrupted,
    /// The program is too large for it, in what way.
    Size(String),
}

/// What the engine says; `None` for bebop itself.
pub(super) fn reach(engine: Engine, cfg: &Cfg, stop: &AtomicBool) -> Option<Result<Gave, Limit>> {
    match engine {
        Engine::Bebop => None,
        Engine::Getafix => Some(super::formulae::reach(cfg, stop)),
        Engine::Zing => Some(super::explicit::reach(cfg, stop)),
    }
}
