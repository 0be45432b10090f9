//! Why no execution fails a check, what holds at loops, and what the check of a certificate found.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Values of variables and members, by their names.
pub type State = BTreeMap<String, String>;

/// What holds whenever an execution reaches a place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Invariant {
    /// `file.c:12`.
    pub place: String,
    /// As C.
    pub invariant: String,
}

/// How often executions turn in a loop, where all were followed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Unrolled {
    /// The place of the loop.
    pub place: String,
    /// At most so often.
    pub turns: usize,
}

/// Where in a procedure something holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// At the head of a loop.
    Loop,
    /// At the entry of a procedure.
    Entry,
    /// At the exit of a procedure.
    Exit,
}

/// What holds at a place, or was to hold there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Claimed {
    /// `file.c:12`, where the source has the place.
    pub place: Option<String>,
    /// Its column.
    pub column: Option<u32>,
    /// What is there.
    pub kind: Option<Kind>,
    /// The procedure.
    pub function: String,
    /// The condition.
    pub invariant: String,
    /// Where it came from.
    pub source: String,
}

/// Something that was shown to hold at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fact {
    /// What and where.
    #[serde(flatten)]
    pub claimed: Claimed,
    /// Whether it is written with the names of the source.
    pub in_source_words: bool,
}

/// When a candidate for an invariant does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// When an execution arrives.
    Arrival,
    /// After a turn of the loop.
    Turn,
    /// At a call.
    Call,
    /// At a return.
    Return,
}

/// What breaks a candidate for an invariant, as far as that is known.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Broken {
    /// When it does not hold.
    pub moment: Option<Moment>,
    /// Values with which it does not hold.
    pub values: State,
    /// Values before the turn.
    pub before: State,
}

/// A candidate for an invariant that was not shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NotShown {
    /// What and where.
    #[serde(flatten)]
    pub claimed: Claimed,
    /// Why it was not shown.
    pub why: String,
    /// What breaks it.
    #[serde(flatten)]
    pub broken: Broken,
}

/// Candidates that were not shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidates {
    /// The first of them.
    pub listed: Vec<NotShown>,
    /// How many there are besides.
    pub more: usize,
}

/// What became of a line of `--invariants`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// The place, as the line has it.
    pub place: String,
    /// The condition, as the line has it.
    pub invariant: String,
    /// Whether it was shown.
    pub shown: bool,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What breaks it, where induction was asked.
    #[serde(flatten)]
    pub broken: Option<Broken>,
}

/// What finding an answer and checking its certificate have in common, so that a mistake in it is not found by the
/// check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Taken {
    /// Memory is reached through pointers.
    PointsTo,
    /// Statements were left out.
    Slicing,
    /// Constants and copies were put in the place of variables.
    Propagation,
}

/// An obligation of a certificate that was not proved.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Flaw {
    /// Its place.
    pub place: String,
    /// What it says.
    pub obligation: String,
    /// It is wrong.
    pub refuted: bool,
    /// Why it is open.
    pub reason: Option<String>,
}

/// What the check of a certificate found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certified {
    /// About its claim.
    #[serde(flatten)]
    pub claim: Rechecked,
    /// Whether what induction proves was proved again, where something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
}

/// How the claim of a certificate was checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Rechecked {
    /// Of sets of states: each obligation was examined.
    Sets {
        /// How many there are.
        obligations: usize,
        /// How many hold.
        proved: usize,
        /// How many of these hold by the graph alone.
        by_graph: usize,
        /// What is taken for granted.
        relative_to: Vec<Taken>,
        /// The others.
        flaws: Vec<Flaw>,
    },
    /// Of other evidence: it was made once more.
    Repeated {
        /// Whether it was the same.
        repeated: bool,
    },
}

impl Certified {
    /// Evidence was made once more, and was the same or not.
    pub fn repeated(repeated: bool) -> Certified {
        Certified { claim: Rechecked::Repeated { repeated }, held: None }
    }
}
