//! Checks with their answers, and executions.

use serde::{Deserialize, Serialize};

/// The answer about a program, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// No execution fails a check.
    Safe,
    /// An execution does.
    Unsafe,
    /// What a witness says is so.
    Confirmed,
    /// What a witness says is not so.
    Refuted,
    /// It was not decided.
    #[default]
    Unknown,
    /// The program was not checked.
    Error,
}

/// The answer about one check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Answer {
    /// No execution fails it.
    Safe,
    /// No execution reaches it.
    Unreachable,
    /// An execution fails it.
    Unsafe,
    /// It was not decided.
    Unknown,
}

/// A range of a file: lines, and columns in bytes, from 1; the end is behind the last byte.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Location {
    /// The file.
    pub file: String,
    /// Where it begins.
    pub line: u32,
    /// See `line`.
    pub column: u32,
    /// Where it ends.
    pub end_line: u32,
    /// See `end_line`.
    pub end_column: u32,
}

/// A check.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// `file.c:12`.
    pub place: String,
    /// Where it stands.
    #[serde(flatten)]
    pub at: Location,
    /// The function that it is in.
    pub function: String,
    /// Its kind, as `--check` has it.
    pub kind: String,
    /// The rule that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What goes wrong where it fails.
    pub message: String,
    /// What it asks for, as C; nothing for an error that is called.
    pub condition: Option<String>,
    /// The answer; nothing where the run ended before.
    pub verdict: Option<Answer>,
    /// In a library function: the places of its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called_at: Option<Vec<String>>,
    /// The same calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<Location>>,
    /// What keeps executions from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<String>,
    /// Why it is not decided, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The inputs of the execution that fails it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<Input>>,
    /// Its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Line>>,
    /// The places of checks that are assumed to hold where this one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_these_hold: Option<Vec<String>>,
}

/// An assertion of the program that was not checked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Unchecked {
    /// `file.c:12`.
    pub place: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// Its kind.
    pub kind: String,
    /// What goes wrong where it fails.
    pub message: String,
}

/// A line of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// Where it stands.
    #[serde(flatten)]
    pub at: Location,
    /// The function.
    pub function: String,
    /// How many calls are open.
    pub depth: usize,
    /// The number of the thread, in programs with threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// The text in the source.
    pub text: String,
    /// The outcome of a condition.
    pub branch: Option<bool>,
    /// What is written or read.
    pub values: Vec<Value>,
    /// The inputs that it takes.
    pub given: Vec<String>,
    /// What else is to be said of it.
    pub notes: Vec<String>,
    /// The variables of rules that it sets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rule_state: Vec<Set>,
    /// The check fails here.
    pub error: bool,
}

/// A value of something.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Value {
    /// Of what.
    pub name: String,
    /// As C.
    pub value: String,
}

/// A variable of a rule that is set.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Set {
    /// The rule.
    pub rule: String,
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// An input of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Input {
    /// What it is.
    pub input: String,
    /// Its value.
    pub value: String,
}

/// Memory that an execution allocates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Object {
    /// Its number in the execution.
    pub number: usize,
    /// The function that allocates it.
    pub function: String,
    /// Where.
    pub allocated: String,
    /// Where it is freed, if it is.
    pub freed: Option<String>,
}

/// The state of a broken rule at the end of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RuleState {
    /// The object that the rule follows.
    pub object: Option<Followed>,
    /// Its variables.
    pub state: Vec<Since>,
}

/// The object that a rule follows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Followed {
    /// What it is.
    pub name: String,
    /// Where the execution meets it first.
    pub first: String,
}

/// A variable of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Since {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where it was set; nothing where it has its first value.
    pub since: Option<String>,
}
