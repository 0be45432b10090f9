//! How a program was read and prepared: what another run needs to work on the same program.

use serde::{Deserialize, Deserializer, Serialize};

/// The options of a run that decide about the program and the question. Words are those of the command line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// `-I`.
    pub include_dirs: Vec<String>,
    /// `-D`.
    pub defines: Vec<String>,
    /// `-U`.
    pub undefs: Vec<String>,
    /// `-include`.
    pub includes: Vec<String>,
    /// `--no-preprocess`.
    pub no_preprocess: bool,
    /// `--data-model`.
    pub data_model: String,
    /// `--entry`.
    pub entry: String,
    /// `--environment`.
    #[serde(deserialize_with = "present")]
    pub environment: Option<Environment>,
    /// `--argc-min`.
    pub argc_min: u32,
    /// `--array-size`.
    pub array_size: u64,
    /// `--max-threads`.
    pub max_threads: u32,
    /// `--any-threads`.
    pub any_threads: bool,
    /// `--globals`.
    pub globals: String,
    /// `--unknown-pointers`.
    pub unknown_pointers: String,
    /// `--signed-overflow wrap`.
    pub signed_wrap: bool,
    /// `--malloc-may-fail yes`.
    pub malloc_may_fail: bool,
    /// `--volatile havoc`.
    pub volatile_havoc: bool,
    /// The kinds of `--check`, without that of rules.
    pub checks: Vec<String>,
    /// Where leaks are checked.
    pub leaks_at: String,
    /// `--extern`.
    #[serde(rename = "extern")]
    pub extern_policy: String,
    /// `--evaluation-order`.
    pub evaluation_order: String,
    /// `--model`.
    pub models: Vec<String>,
    /// The function whose call is an error, of a property.
    #[serde(deserialize_with = "present")]
    pub error_function: Option<String>,
    /// `--tune alias`.
    pub alias: String,
    /// `--tune slice`.
    pub slice: bool,
    /// `--tune propagate`.
    pub propagate: bool,
    /// Objects that are accessed at several types are taken as their bytes.
    pub bytes: bool,
    /// The text of the file of `--predicates`.
    pub predicates: String,
    /// `--rule`.
    pub rules: Vec<Rule>,
}

/// Reads a member that may be `null`, and must be there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(of: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(of)
}

/// The functions that an environment calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// First.
    pub init: Vec<String>,
    /// In any order, any number of times.
    pub any: Vec<String>,
    /// Last.
    pub exit: Vec<String>,
}

/// A rule: whole, so that its file need not be there any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The file that it came from.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The program need not have its functions.
    pub may_be_unused: bool,
}

/// Something under which a result holds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Assumption {
    /// The option, as [`Options`] call it.
    pub option: String,
    /// Its value.
    pub value: serde_json::Value,
    /// As the command line has it.
    pub text: String,
}

/// An undefined function, and what is assumed of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndefinedFunction {
    /// Its name.
    pub function: String,
    /// In words.
    pub assumption: String,
}
