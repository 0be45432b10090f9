//! Why a run has no answer.

use crate::check::Line;
use crate::proof::Candidates;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a run got stuck, and what was tried.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Explanation {
    /// Where, as a sentence without its full stop.
    pub stuck: Option<String>,
    /// The refiners that were tried.
    pub refiners: Vec<String>,
    /// A path that is suspected to be an execution, and not confirmed.
    pub suspected: Option<Vec<Line>>,
    /// What the user may try next.
    pub next: Vec<Advice>,
    /// What the last iterations did.
    pub last_iterations: Vec<Attempt>,
    /// Candidates for invariants that were not shown.
    pub candidates: Candidates,
}

/// What a piece of advice is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    /// A predicate that the user knows.
    Predicate,
    /// All refiners.
    Refiner,
    /// A change of the program: a smaller bound of a variable, a loop or a list.
    Bound,
    /// Integers as bit-vectors.
    Bits,
    /// Objects that are accessed at several types as their bytes.
    Bytes,
    /// A function of the user's in the place of one that has no body or no useful model.
    Model,
    /// No option helps.
    #[default]
    Nothing,
    /// More time.
    Time,
    /// More memory.
    Memory,
    /// More iterations.
    Iterations,
    /// Other checks of the program.
    Checks,
    /// A longer explanation.
    Explanation,
}

/// Something that a user may try next.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Advice {
    /// What it is about.
    pub kind: Topic,
    /// Options that can be given as they stand; empty where the user has to choose or write something.
    pub options: Vec<String>,
    /// In words.
    pub text: String,
}

/// One of the last iterations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// Its number.
    pub iteration: usize,
    /// Steps of its path.
    pub steps: usize,
    /// What the analysis of the path gave.
    pub answer: String,
    /// Whether the path is that of the iteration before.
    pub repeated: bool,
    /// Predicates that were new.
    pub new: Vec<String>,
    /// How many cubes were found impossible.
    pub impossible: usize,
    /// What was done for lack of new predicates.
    pub escalation: Option<String>,
    /// How often the path goes through cycles, by their places.
    pub turns: BTreeMap<String, usize>,
}
