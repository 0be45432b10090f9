//! From a system and a formula to an answer.

use crate::check::check;
use crate::eval::{Evaluator, Observer, Options, Stats, Stop};
use crate::ir::Formula;
use crate::prelude::Model;
use crate::syntax::{File, parse};
use crate::translate::{Question, System, Translation};
use base::{Diagnostic, FileId, SourceMap};
use bdd::{Engine, TooManyVariables};

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Failed {
    /// The formula is not well-formed.
    Formula(Vec<Diagnostic>),
    /// There are more variables than decision diagrams can have here.
    TooManyVariables(TooManyVariables),
    /// The evaluation stopped.
    Stopped(Stop, Stats),
}

/// An answer.
pub struct Answer {
    /// Whether the query holds.
    pub holds: bool,
    /// Figures.
    pub stats: Stats,
}

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

/// Whether the formula's query holds of the system.
///
/// # Errors
/// When it cannot be said.
pub fn solve<E: Engine>(
    system: &System,
    question: Question,
    text: &str,
    options: Options,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
    observer: Observer<'_>,
) -> Result<Answer, Failed> {
    let model = Translation::compact(system, question);
    let formula = formula(text, "formula", &mut SourceMap::new(), &model).map_err(Failed::Formula)?;
    let prelude = model.prelude();
    let mut evaluator =
        Evaluator::new(&formula, &model, &prelude, options, engine).map_err(Failed::TooManyVariables)?;
    match evaluator.run(observer) {
        Ok(found) => Ok(Answer { holds: found.holds, stats: evaluator.stats }),
        Err(stop) => Err(Failed::Stopped(stop, evaluator.stats)),
    }
}
