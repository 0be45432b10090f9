//! The abstraction statement by statement, for pages.

use crate::check::Location;
use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Walkthrough {
    /// The statements.
    pub statements: Vec<Statement>,
    /// The states at places.
    pub states: Vec<States>,
    /// Statements that are left out.
    pub left_out: usize,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Statement {
    /// Where it stands.
    #[serde(flatten)]
    pub at: Location,
    /// The function.
    pub function: String,
    /// As C--.
    pub statement: String,
    /// The text in the source.
    pub source: Option<String>,
    /// What the boolean program does.
    pub written: Vec<String>,
    /// How its variables get their values.
    pub values: Vec<Assigned>,
}

/// How a variable of the boolean program gets its value.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Assigned {
    /// What the value is about.
    pub about: String,
    /// The predicate.
    pub label: String,
    /// Its weakest precondition; nothing where that is anything.
    pub before: Option<String>,
    /// How it was found.
    pub how: How,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Cubes that imply it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<Cubes>,
    /// Cubes that imply its negation, where they were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative: Option<Option<Cubes>>,
    /// What that took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// How a value was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The statement keeps it.
    Kept,
    /// Without a search.
    Folded,
    /// By questions about cubes.
    #[default]
    Searched,
}

/// Cubes that imply something.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cubes {
    /// These.
    pub cubes: Vec<String>,
    /// There are no others.
    pub complete: bool,
}

/// What a search took: cubes asked about, and who answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "each member is a number, and its name says of what")]
pub struct Asked {
    pub cubes: u64,
    pub by_syntax: u64,
    pub by_models: u64,
    pub prover_calls: u64,
    pub gave_up: u64,
}

/// The states that the boolean program reaches at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct States {
    /// Where it stands.
    #[serde(flatten)]
    pub at: Location,
    /// The function.
    pub function: String,
    /// Whether there are any.
    pub reached: bool,
    /// Conjunctions of literals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cubes: Option<Vec<Vec<String>>>,
    /// These are all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// As a decision diagram, where it is small enough to be drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagram: Option<Option<Diagram>>,
}

/// A decision diagram: nodes by their numbers from 2; 0 and 1 are the constants.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagram {
    /// The node to begin with.
    pub root: usize,
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A node of a decision diagram.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// What it asks.
    pub name: String,
    /// Its place in the order of variables.
    pub level: usize,
    /// Where it leads when the answer is no.
    pub low: usize,
    /// Where it leads when the answer is yes.
    pub high: usize,
}
