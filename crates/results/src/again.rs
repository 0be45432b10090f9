//! What `slam certify` and `slam replay` work with: the evidence of an answer, strict about every member.
//!
//! Numbers are those of checks, procedures, edges and locations of the program; whoever reads them looks whether the
//! program has them.

use crate::check::Verdict;
use crate::options::Options;
use crate::read::{Read, Wrong};
use serde::{Deserialize, Serialize};

/// The verdict alone, which is read first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub struct Head {
    /// See [`Verdict`].
    pub verdict: Verdict,
}

/// The members that other runs repeat an answer from.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Again {
    /// How the program was read.
    pub options: Options,
    /// Of a program that is safe.
    #[serde(default)]
    pub certificate: Option<Certificate>,
    /// Of one that is not.
    #[serde(default)]
    pub replay: Option<Execution>,
}

/// The evidence that no execution fails a check: one claim, and what it is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// How integers are modelled.
    pub integers: Integers,
    /// Stands for the program.
    pub program: String,
    /// The checks that are assumed to hold.
    pub assumed: Vec<usize>,
    /// Those of them that induction proves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// The claim of sets of states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    procedures: Option<Vec<Procedure>>,
    /// The claim that the program has one execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    execution: Option<Only>,
    /// The claim that all executions were followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unrolled: Option<Turns>,
    /// The claim of invariants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inductive: Option<Inductive>,
}

/// The claim of a certificate.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// Sets of states.
    Procedures(Vec<Procedure>),
    /// The only execution.
    Execution(Only),
    /// All executions, with a bound on iterations of loops.
    Unrolled(Turns),
    /// Invariants that induction shows.
    Inductive(Inductive),
}

impl Certificate {
    /// The certificate of a claim about a program.
    pub fn new(
        (integers, program): (Integers, String),
        assumed: Vec<usize>,
        held: Vec<Held>,
        claim: Claim,
    ) -> Certificate {
        let (procedures, execution, unrolled, inductive) = (None, None, None, None);
        let mut out =
            Certificate { integers, program, assumed, held, procedures, execution, unrolled, inductive };
        match claim {
            Claim::Procedures(claim) => out.procedures = Some(claim),
            Claim::Execution(claim) => out.execution = Some(claim),
            Claim::Unrolled(claim) => out.unrolled = Some(claim),
            Claim::Inductive(claim) => out.inductive = Some(claim),
        }
        out
    }

    /// The claim.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn claim(self) -> Read<Claim> {
        match (self.procedures, self.execution, self.unrolled, self.inductive) {
            (Some(claim), None, None, None) => Ok(Claim::Procedures(claim)),
            (None, Some(claim), None, None) => Ok(Claim::Execution(claim)),
            (None, None, Some(claim), None) => Ok(Claim::Unrolled(claim)),
            (None, None, None, Some(claim)) => Ok(Claim::Inductive(claim)),
            (None, None, None, None) => Err(Wrong::new("there is no `procedures`")),
            _ => Err(Wrong::new("there is more than one claim")),
        }
    }
}

/// How integers are modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Integers {
    /// As mathematical integers.
    Math,
    /// As bit-vectors.
    Bits,
}

/// Checks that are assumed to hold since induction proves them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The checks.
    pub checks: Vec<usize>,
    /// What proves them.
    pub inductive: Inductive,
}

/// The only execution of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Only {
    /// Its steps.
    pub steps: u64,
}

/// How often executions turn in any loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// At most so often.
    pub turns: usize,
}

/// Invariants that are inductive together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inductive {
    /// How many turns one step of the induction takes.
    pub turns: usize,
    /// The invariants.
    pub invariants: Vec<AtLocation>,
}

/// What holds at a location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtLocation {
    /// The procedure.
    pub name: String,
    /// The location in it.
    pub location: usize,
    /// For all values of a variable in a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_all: Option<ForAll>,
    /// What holds.
    pub condition: String,
}

/// A range of a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForAll {
    /// The variable.
    pub variable: String,
    /// The first value.
    pub from: String,
    /// What is behind the last value.
    pub to: String,
}

/// The sets of states of a procedure, as decision graphs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// What nodes ask.
    pub literals: Vec<Literal>,
    /// `[literal, low, high]` each; children are numbers (0: no state, 1: any, `k + 2`: the `k`-th node).
    pub nodes: Vec<[usize; 3]>,
    /// The sets at locations.
    pub sets: Vec<Set>,
    /// Locations that executions pass without a set.
    pub passed: Vec<usize>,
    /// Locations whose sets are not about all executions.
    pub partial: Vec<usize>,
    /// Conditions that hold at the exit if they hold at the entry.
    pub unchanged: Vec<String>,
}

/// A condition that a node asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Literal {
    /// The condition.
    pub condition: String,
    /// When it is asked, where that is not now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<When>,
}

/// When a condition is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// At the entry of the procedure.
    Entry,
}

/// The set of states at a location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// The location.
    pub location: usize,
    /// Its line in the source, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The root of its graph.
    pub set: usize,
}

/// An execution that fails a check: the inputs of the interpreter, and nothing that follows from them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// Stands for the program.
    pub program: String,
    /// The values that it was given, in order.
    pub inputs: Vec<Drawn>,
    /// Which of several edges it took, in order.
    pub choices: Vec<usize>,
    /// Which allocations fail, in order.
    pub failing_allocations: Vec<bool>,
}

/// A value that an edge drew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// The procedure and the edge in it.
    pub at: [usize; 2],
    /// The value.
    pub value: String,
}
