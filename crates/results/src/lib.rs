//! The results of the commands as types: what `--json` writes, and what `slam certify`, `slam replay`, `slam report`,
//! the server for editors and batches read back. JSON, SARIF, pages, diagnostics in editors and what goes into other
//! files are renderings of an [`Outcome`].
//!
//! The crate knows no program and no prover: places are names of files and numbers of lines, conditions are text.
//! Whoever reads evidence ([`again`]) looks whether it fits the program. Members that an answer does not have are left
//! out; of what is only shown, members that are missing have empty values, and members that are not known are passed
//! over.
//!
//! ```
//! use results::{Outcome, check::Verdict};
//!
//! let text = r#"{ "verdict": "UNSAFE", "place": "lock.c:12", "trace": [{ "line": 12, "text": "lock();" }] }"#;
//! let outcome = Outcome::read(text).expect("it is a result");
//! assert_eq!(outcome.verdict, Verdict::Unsafe);
//! assert_eq!(outcome.trace.expect("an execution")[0].at.line, 12);
//!
//! let wrong = Outcome::read(r#"{ "trace": [{ "depth": "deep" }] }"#).expect_err("a number is wanted");
//! assert!(wrong.to_string().starts_with("/trace/0/depth: invalid type"));
//! ```

pub mod again;
pub mod batch;
pub mod check;
pub mod history;
pub mod options;
pub mod others;
pub mod proof;
pub mod read;
pub mod unknown;
pub mod walkthrough;

pub use read::{At, Mistake, Read, Wrong, each, read};

use check::{Check, Input, Line, Location, Object, RuleState, Unchecked, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the form of results, `docs/result.schema.json`: it grows when a member changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// The result of `slam check`, `slam certify` or `slam nullness`.
///
/// Members that are read by other types ([`again`]) are passed over here: `options`, `certificate` and `replay`, which
/// may be large, and are read strictly.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// What has written it.
    pub tool: Tool,
    /// The answer in a word.
    pub verdict: Verdict,
    /// The answer in a line.
    pub verdict_line: String,
    /// The exit code of the run.
    pub exit_code: i32,
    /// What the task definition expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_verdict: Option<bool>,
    /// Figures of the run, by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<BTreeMap<String, Figure>>,
    /// The program's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<File>>,
    /// Other files that places are in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included: Option<Vec<File>>,
    /// What was said about the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// What the user should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,

    /// How the program was read.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub options: Option<options::Options>,
    /// What the answer is about, where that is not the program as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<options::Assumption>>,
    /// What is assumed of undefined functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undefined_functions: Option<Vec<options::UndefinedFunction>>,
    /// The kinds of checks, of an answer that was certified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// The checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<Check>>,
    /// Assertions of the program that are not among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_looked_at: Option<Vec<Unchecked>>,
    /// Lines that do not matter, and lines that are not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Lines>>,

    /// The kind of the check that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The rule that is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Its state in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_state: Option<RuleState>,
    /// Where the check fails, or where the run got stuck, if that is a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Option<String>>,
    /// What goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The execution that fails the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Line>>,
    /// The memory that it allocates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<Vec<Object>>,
    /// Its inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<Input>>,
    /// Its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The same execution, for `slam replay`.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub replay: Option<again::Execution>,

    /// How it was proved that no execution fails a check, where that is said by a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Iterations of the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Predicates at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicates: Option<usize>,
    /// What holds at loops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariants: Option<Vec<proof::Invariant>>,
    /// All of it was computed.
    #[serde(rename = "invariants-complete", skip_serializing_if = "Option::is_none")]
    pub invariants_complete: Option<bool>,
    /// What was shown to hold at places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<proof::Fact>>,
    /// What became of the lines of `--invariants`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_invariants: Option<Vec<proof::Given>>,
    /// How often executions turn in loops, where all were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrolled: Option<Vec<proof::Unrolled>>,
    /// The evidence, for `slam certify`.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub certificate: Option<again::Certificate>,
    /// What its check found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certified: Option<proof::Certified>,

    /// Why there is no answer, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The same as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<unknown::Explanation>,

    /// What the iterations of the loop did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<history::Iteration>,
    /// The abstraction statement by statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walkthrough: Option<walkthrough::Walkthrough>,
    /// What `slam nullness` has found.
    #[serde(flatten, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub nullness: Option<others::Nullness>,

    /// The C file that makes a compiled program take the same execution, for a file of its own.
    #[serde(skip)]
    pub harness: Option<String>,
    /// The witness, for a file of its own.
    #[serde(skip)]
    pub witness: Option<String>,
}

impl Outcome {
    /// Reads a result.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(text: &str) -> Result<Outcome, Mistake> {
        read(text)
    }

    /// The checks; none where the result lists none.
    pub fn checks(&self) -> &[Check] {
        self.checks.as_deref().unwrap_or_default()
    }

    /// The execution that fails a check, or the path that is taken for one; empty where there is neither.
    pub fn path(&self) -> &[Line] {
        let suspected = || self.explanation.as_ref().and_then(|explanation| explanation.suspected.as_deref());
        self.trace.as_deref().or_else(suspected).unwrap_or_default()
    }
}

/// The text of a value, in lines; members stand in the order of their names.
///
/// # Panics
/// Never: these types are JSON.
pub fn text(of: &impl Serialize) -> String {
    format!("{:#}\n", json(of))
}

/// The same in one line, without a line break.
///
/// # Panics
/// Never: these types are JSON.
pub fn line(of: &impl Serialize) -> String {
    json(of).to_string()
}

fn json(of: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(of).expect("the names of members are text")
}

/// What has written a result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is read before the result itself.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Form {
    /// See [`Outcome`].
    pub tool: Tool,
    /// See [`Outcome`].
    pub verdict_line: String,
    /// See [`Outcome`].
    #[serde(default)]
    pub schema: Option<u64>,
}

/// A figure of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A number.
    Number(u64),
    /// Something else.
    Text(String),
}

/// A file, as it was.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct File {
    /// Its name.
    pub name: String,
    /// The hash of its text.
    pub sha256: String,
}

/// Something that was said about the input.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What.
    pub text: String,
    /// Where.
    pub location: Option<Location>,
}

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input is refused.
    Error,
    /// It may not be meant.
    Warning,
    /// It is said besides.
    #[default]
    Note,
}

/// Words are shown as they are written.
macro_rules! words {
    ($($of:ty),*) => {$(
        impl fmt::Display for $of {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.serialize(f)
            }
        }
    )*};
}
words!(Verdict, check::Answer, proof::Kind, Severity);

/// Lines of a file that are special, as ranges: the first and the last line of each.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lines {
    /// The file.
    pub file: String,
    /// No check depends on what they do.
    pub sliced: Vec<[u32; 2]>,
    /// No execution comes there.
    pub unreachable: Vec<[u32; 2]>,
}
