//! What `slam run`, `slam nullness` and `slam dataflow` write.

use serde::{Deserialize, Serialize};

/// An execution by the interpreter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// How it ended, in a word.
    pub outcome: String,
    /// Why, when it did not end by itself.
    pub message: Option<String>,
    /// Where.
    pub place: Option<String>,
    /// The exit code of the program.
    pub exit_code: i32,
    /// Its steps.
    pub steps: u64,
    /// The checks that were reached, in order.
    pub checks: Vec<Reached>,
    /// The inputs that were drawn, in order.
    pub inputs: Vec<Drawn>,
}

/// The inputs of a run, as another one takes them.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Inputs {
    /// In order.
    pub inputs: Vec<Taken>,
}

/// An input that is taken over.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Taken {
    /// Its value.
    pub value: String,
}

/// A check that an execution has reached.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reached {
    /// Its kind.
    pub kind: String,
    /// What goes wrong where it fails.
    pub message: String,
    /// `file.c:12`.
    pub place: String,
    /// Whether it holds.
    pub holds: bool,
}

/// An input that an execution has drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Drawn {
    /// Its value.
    pub value: String,
    /// What it is.
    pub what: String,
    /// `file.c:12`.
    pub place: String,
}

/// Which dereferences can be of NULL.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Nullness {
    /// Each of them.
    pub dereferences: Vec<Dereference>,
    /// The answers are those without paths.
    pub flow_sensitive: bool,
    /// What is left out.
    pub not_modelled: Vec<String>,
}

/// A dereference.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Dereference {
    /// Where it stands.
    pub file: String,
    /// See `file`.
    pub line: u32,
    /// See `file`.
    pub column: u32,
    /// The text in the source.
    pub text: String,
    /// The procedure.
    pub procedure: String,
    /// What is known of the pointer.
    pub answer: String,
    /// The same, with paths.
    pub path_sensitive: String,
    /// A path on which it is NULL.
    pub path: Option<Vec<String>>,
}

/// The solution of a dataflow problem.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Dataflow {
    /// Each variable by itself.
    pub flow_sensitive: bool,
    /// The states at places.
    pub states: Vec<AtPlace>,
}

/// The states at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AtPlace {
    /// `file.bp:12`.
    pub place: String,
    /// What stands there.
    pub statement: String,
    /// The procedure.
    pub procedure: String,
    /// In words.
    pub states: String,
}
