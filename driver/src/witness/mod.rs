//! Verification witnesses in the format of the competition on software verification, version 2.0: an error as what an
//! execution passes on its way, a proof as invariants of loops. Written for what `slam check` finds
//! ([`Content::of`]), and read to be checked ([`read`], [`follow`], [`candidates`]).
//!
//! Invariant: what is written is true of the program. Whatever cannot be written as side-effect-free C over variables in
//! scope, without anything that C might leave undefined, is left out, which makes a witness weaker and never wrong.

mod branches;
pub(crate) mod candidates;
pub(crate) mod conditions;
mod correctness;
pub(crate) mod follow;
mod goals;
mod graphml;
pub(crate) mod lex;
pub(crate) mod places;
pub(crate) mod product;
pub(crate) mod read;
pub(crate) mod scope;
mod starts;
mod violation;
mod yaml;

use crate::content::sha256;
use cli::options::Choice;
use executions::Witness;
use ir::CheckKind;
pub(crate) use places::{Place, Texts};
use std::collections::BTreeSet;
use std::path::PathBuf;
use verify::Task;
use verify::cegar::Proof;

/// A range of values for a function's result, or the like: `\result == 3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Relation {
    /// `==`.
    Equal,
    /// `!=`.
    Different,
    /// `<=`, or `<` of the next number.
    AtMost,
    /// `>=`, or `>` of the number before.
    AtLeast,
}

impl Relation {
    /// As C.
    fn text(self) -> &'static str {
        match self {
            Relation::Equal => "==",
            Relation::Different => "!=",
            Relation::AtMost => "<=",
            Relation::AtLeast => ">=",
        }
    }
}

/// What an execution passes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Waypoint {
    /// A condition holds before the statement that begins at the place.
    Assumption(String),
    /// A branch goes this way; of a `switch` the value, or none for `default`.
    Branching(Branch),
    /// A function is called.
    Enter,
    /// The call that ends at the place returns such a number.
    Return(Relation, i128),
    /// The error.
    Target,
}

/// The way that a branch goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Branch {
    /// The condition is true.
    True,
    /// It is false.
    False,
    /// The value of a `switch`; none for `default`.
    Case(Option<i128>),
}

/// What an execution passes next, and what it does not pass before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    /// It passes none of these before.
    pub avoided: Vec<(Place, Waypoint)>,
    /// It passes this.
    pub followed: (Place, Waypoint),
}

impl From<(Place, Waypoint)> for Segment {
    fn from(followed: (Place, Waypoint)) -> Segment {
        Segment { avoided: vec![], followed }
    }
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// What an execution passes, in order; the last is the target.
    Violation(Vec<Segment>),
    /// What holds at loops and elsewhere.
    Correctness(Vec<Invariant>),
}

/// A condition that holds whenever executions reach a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Invariant {
    /// The keyword of the loop, or the start of the statement.
    pub place: Place,
    /// It is about a loop: it holds before each evaluation of its condition.
    pub at_loop: bool,
    /// As C.
    pub condition: String,
}

/// The form in which a witness is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Format {
    /// Version 2.0.
    #[default]
    Yaml,
    /// Version 1.0.
    GraphMl,
}

impl Format {
    /// The forms, by the words that options have.
    pub(crate) const ALL: [Choice<Format>; 2] = [
        ("yaml", "Format 2.0", Format::Yaml),
        ("graphml", "Format 1.0, for validators that read no other", Format::GraphMl),
    ];
}

/// What a witness is about.
pub(crate) struct About<'a> {
    /// The program's files.
    pub files: &'a [PathBuf],
    /// What was checked.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: &'static str,
}

impl Content {
    /// What a run has found, if that is an answer, and the kind of an error; or why it cannot be written. `is_safe`: no
    /// execution fails a check.
    pub(crate) fn of(
        task: &Task,
        texts: &Texts,
        error: Option<&Witness>,
        proof: Option<&Proof>,
        is_safe: bool,
    ) -> Option<Result<(Content, Option<CheckKind>), String>> {
        if (error.is_some() || is_safe) && task.whole.checks.iter().any(|check| check.kind == CheckKind::Rule)
        {
            return Some(Err("the format of witnesses has no property for rules".into()));
        }
        if let Some(error) = error {
            let kind = task.whole.checks[error.check].kind;
            return Some(violation::waypoints(task, texts, error).map(|waypoints| {
                (Content::Violation(waypoints.into_iter().map(Segment::from).collect()), Some(kind))
            }));
        }
        is_safe.then(|| {
            let invariants = proof.map(|proof| correctness::invariants(task, texts, &proof.invariants));
            Ok((Content::Correctness(invariants.unwrap_or_default()), None))
        })
    }

    /// The witness as text. It is the same whenever it says the same, but for the time.
    ///
    /// # Errors
    /// What the format cannot say.
    pub(crate) fn text(&self, format: Format, about: &About<'_>, texts: &Texts) -> Result<String, String> {
        match format {
            Format::Yaml => Ok(yaml::text(self, about)),
            Format::GraphMl => graphml::text(self, about, texts),
        }
    }

    /// How many invariants there are; `None` in a witness of an error.
    pub(crate) fn invariants(&self) -> Option<usize> {
        match self {
            Content::Violation(_) => None,
            Content::Correctness(invariants) => Some(invariants.len()),
        }
    }
}

/// What the kinds of checks are called in properties: of an error that of its kind, else those of all that were asked for.
pub(crate) fn specification(error: Option<CheckKind>, asked: &[CheckKind], entry: &str) -> String {
    let kinds: Vec<CheckKind> = error.map_or_else(|| asked.to_vec(), |kind| vec![kind]);
    let names: BTreeSet<&str> = kinds.into_iter().map(formula).collect();
    let lines: Vec<String> =
        names.into_iter().map(|name| format!("CHECK( init({entry}()), LTL(G {name}) )")).collect();
    lines.join("\n")
}

/// Whether a specification is about something that these kinds check.
pub(crate) fn is_about(specification: &str, asked: &[CheckKind]) -> bool {
    let tracked = specification.contains("valid-memtrack") && asked.contains(&CheckKind::Leak);
    tracked || asked.iter().any(|kind| specification.contains(formula(*kind)))
}

fn formula(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Reach | CheckKind::Unmodelled => "! call(reach_error())",
        CheckKind::Overflow => "! overflow",
        CheckKind::Null | CheckKind::Bounds => "valid-deref",
        CheckKind::Free => "valid-free",
        CheckKind::Leak => "valid-memcleanup",
        CheckKind::Race => "! data-race",
        CheckKind::Deadlock => "! deadlock",
        // Of rules no witness is written.
        CheckKind::Div0
        | CheckKind::Shift
        | CheckKind::Uninit
        | CheckKind::Format
        | CheckKind::File
        | CheckKind::Readonly
        | CheckKind::Overlap
        | CheckKind::Noreturn
        | CheckKind::Convert
        | CheckKind::Order
        | CheckKind::Member
        | CheckKind::Rule => "def-behavior",
    }
}

/// The name and the hash of each file, as witnesses have them. Standard input, which can be read once, has none.
pub(crate) fn hashes(files: &[PathBuf]) -> Vec<(String, String)> {
    let hash = |file: &PathBuf| sha256(&cli::inputs::bytes(file).unwrap_or_default());
    let named = files.iter().filter(|file| file.as_os_str() != "-");
    named.map(|file| (file.display().to_string(), hash(file))).collect()
}

#[cfg(test)]
mod tests;
