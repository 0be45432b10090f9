//! What each iteration of the loop did; a line of `cegar.jsonl` is one of these.

use serde::{Deserialize, Serialize};

/// An iteration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Iteration {
    /// Its number, from 1.
    pub iteration: usize,
    /// The place of the check at the end of its path.
    pub check: Option<String>,
    /// How many predicates it had.
    pub predicates: usize,
    /// What further executions gave.
    pub search: Option<String>,
    /// The abstraction.
    pub c2bp: Option<Abstraction>,
    /// The model checker.
    pub bebop: Option<Reachability>,
    /// The analysis of the path.
    pub newton: Option<Refinement>,
    /// The boolean program, for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstraction: Option<String>,
    /// What has changed in it, for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// The path, for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why it cannot be executed, for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuted: Option<Refuted>,
}

/// What the abstraction did: statements abstracted and kept, questions and who answered them, and its time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "each member is a number, and its name says of what")]
pub struct Abstraction {
    pub edges: usize,
    pub edges_kept: usize,
    pub questions: u64,
    pub folded: u64,
    pub cached: u64,
    pub by_syntax: u64,
    pub by_prover: u64,
    pub cubes: u64,
    pub prover_calls: u64,
    pub prover_gave_up: u64,
    pub ms: u64,
}

/// What the model checker did.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reachability {
    /// The steps to an error, if one is reachable.
    pub steps: Option<usize>,
    /// Places that are reached, if they were counted.
    pub vertices: Option<usize>,
    /// Nodes of decision diagrams.
    pub bdd_nodes: usize,
    /// Its time.
    pub ms: u64,
}

/// What the analysis of the path gave.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Refinement {
    /// In words; nothing where it was not asked.
    pub answer: Option<String>,
    /// How often it was refuted.
    pub refutations: usize,
    /// Predicates that were new.
    pub new: Vec<Found>,
    /// Cubes that were found impossible.
    pub impossible: Vec<String>,
    /// What was done for lack of new predicates.
    pub escalation: Option<String>,
    /// What executions with inputs of the path gave.
    pub probe: Option<String>,
    /// Its time.
    pub ms: u64,
}

/// A predicate that was found, and why.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Found {
    /// Its text.
    pub predicate: String,
    /// `global`, or the name of its procedure.
    pub scope: String,
    /// The refiner that found it, or `states`.
    pub refiner: String,
    /// The source text of the step for which it was found.
    pub step: String,
    /// The place of that step, `file.c:12`.
    pub place: String,
}

/// Why a path cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Refuted {
    /// The steps of the path.
    pub steps: usize,
    /// How many of those that matter are left out, from the start.
    pub left_out: usize,
    /// The others that matter.
    pub matter: Vec<Matters>,
}

/// A step that matters.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Matters {
    /// Its number in the path.
    pub index: usize,
    /// Where it stands.
    pub file: String,
    /// See `file`.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The text in the source.
    pub text: String,
    /// The outcome of a condition.
    pub branch: Option<bool>,
    /// What has to hold before it, so that the path goes on; nothing where it cannot be reached at all.
    pub needs: Option<Vec<String>>,
    /// Further conditions.
    pub more: usize,
    /// The predicates that were taken from these.
    pub predicates: Vec<String>,
}
