//! Options of the front end.

use children::Children;
use ir::{CheckKind, DataModel};
use passes::Settings;
use passes::checks::ProgramEnds;
use std::path::PathBuf;

/// The input files and how to read them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directories for `#include` (`-I`).
    pub include_dirs: Vec<PathBuf>,
    /// Macros, `NAME` or `NAME=VALUE` (`-D`).
    pub defines: Vec<String>,
    /// Macros to forget (`-U`).
    pub undefs: Vec<String>,
    /// Files to include first (`-include`).
    pub includes: Vec<PathBuf>,
    /// The input is preprocessed already (`.i` files always are).
    pub no_preprocess: bool,
    /// Widths of C's types.
    pub data_model: DataModel,
    /// The function that the program starts with.
    pub entry: String,
    /// The harness that calls the program's functions, in place of an entry function.
    pub environment: Option<Environment>,
    /// `main` gets at least this many arguments, the program's name among them.
    pub least_arguments: u32,
    /// How many elements an array has that a pointer argument of another entry function than `main` points to; at least
    /// 1.
    pub array_size: u64,
    /// How many threads an execution may start at most.
    pub max_threads: u32,
    /// Whether loops start any number of threads: such a program proves and shows no error. Without effect
    /// where more is checked than what the program itself does.
    pub any_threads: bool,
    /// The values of globals at the start.
    pub globals: Globals,
    /// The targets of pointers that undefined functions return.
    pub unknown_pointers: UnknownPointers,
    /// Signed arithmetic wraps.
    pub signed_wrap: bool,
    /// `malloc` and its relatives may answer NULL.
    pub malloc_may_fail: bool,
    /// Every volatile object other than a local variable may give anything at each read.
    pub volatile_havoc: bool,
    /// The checks. Kinds other than [`CheckKind::Reach`] are inserted by [`passes::checks`].
    pub checks: Vec<CheckKind>,
    /// At which ends of the program memory that is not freed is a leak.
    pub leaks_at: ProgramEnds,
    /// Refuse a program without any check.
    pub need_checks: bool,
    /// Assumptions about functions that are defined nowhere.
    pub extern_policy: ExternPolicy,
    /// The order of evaluation of operands where C leaves it open.
    pub evaluation_order: EvaluationOrder,
    /// Files with stubs of the user's: their definitions are taken where the program has none.
    pub models: Vec<PathBuf>,
    /// The functions whose calls are marked ([`ir::CallMark`]), for rules; ends of the program are marked, too. `None`
    /// for a program without marks.
    pub marked: Option<Vec<String>>,
    /// The function whose call is the error, in place of `reach_error` and `__VERIFIER_error`.
    pub error_function: Option<String>,
    /// The compiler that preprocesses.
    pub cc: String,
    /// The child processes, with which the preprocessor is stopped.
    pub children: Children,
}

/// The callers of the functions of a program without `main`: each with any arguments of their types.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// Called first, in this order. One that returns an integer other than 0 has failed: nothing is called any more.
    pub init: Vec<String>,
    /// Called afterwards, any number of times in any order.
    pub any: Vec<String>,
    /// Called last, in this order.
    pub exit: Vec<String>,
}

impl Environment {
    /// The functions that are called, perhaps some more than once.
    pub fn functions(&self) -> impl Iterator<Item = &String> {
        self.init.iter().chain(&self.any).chain(&self.exit)
    }
}

/// The values of globals at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Globals {
    /// The values of their initialisers.
    #[default]
    Initial,
    /// Anything: the entry function is called in the middle of a run.
    Any,
}

/// The targets of pointers that functions without a definition return.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownPointers {
    /// To anything: also objects that the program has passed outside, and unknown memory.
    #[default]
    Alias,
    /// Each to an object of its own with any contents, or nowhere (NULL).
    Fresh,
    /// Nothing is claimed about executions that reach such a call.
    Refuse,
}

/// Assumptions about functions that are defined nowhere and that have no model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExternPolicy {
    /// They return anything, and may write what their arguments reach and what has escaped.
    #[default]
    Havoc,
    /// They may also write every object with external linkage.
    HavocAll,
    /// They return anything and write nothing.
    Pure,
    /// Calling one is an error.
    Error,
}

/// The order of evaluation of operands where C leaves it open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvaluationOrder {
    /// In every order that C allows; what C makes undefined by its order ends the execution.
    #[default]
    Any,
    /// From left to right; the old value of the left side of `x += e` is read after `e`.
    Left,
    /// As gcc does on x86-64.
    Gcc,
}

impl ExternPolicy {
    /// The assumption in words.
    pub fn assumption(self) -> &'static str {
        match self {
            ExternPolicy::Havoc => {
                "any result, writes only to what their arguments and escaped globals reach"
            }
            ExternPolicy::HavocAll => {
                "any result, writes only to what their arguments and globals that other files can name reach"
            }
            ExternPolicy::Pure => "any result, no writes",
            ExternPolicy::Error => "calling one is an error",
        }
    }
}

/// Most threads that an execution may start, unless an option sets it; at most [`MOST_THREADS`], since the
/// models of locks keep the number of a thread in a byte.
pub const MAX_THREADS: u32 = 8;
/// The largest value of that option.
pub const MOST_THREADS: u32 = 200;

impl Default for Options {
    fn default() -> Options {
        Options {
            include_dirs: vec![],
            defines: vec![],
            undefs: vec![],
            includes: vec![],
            no_preprocess: false,
            data_model: DataModel::Lp64,
            entry: "main".into(),
            environment: None,
            least_arguments: 0,
            array_size: 1,
            max_threads: MAX_THREADS,
            any_threads: false,
            globals: Globals::Initial,
            unknown_pointers: UnknownPointers::Alias,
            signed_wrap: false,
            malloc_may_fail: true,
            volatile_havoc: false,
            checks: vec![CheckKind::Reach],
            leaks_at: ProgramEnds::Return,
            need_checks: true,
            extern_policy: ExternPolicy::Havoc,
            evaluation_order: EvaluationOrder::Any,
            models: vec![],
            marked: None,
            error_function: None,
            cc: "cc".into(),
            children: Children::default(),
        }
    }
}

impl Options {
    /// What is asked of the passes behind the front end.
    pub fn settings(&self) -> Settings {
        Settings {
            checks: self.checks.iter().copied().collect(),
            leaks_at: self.leaks_at,
            threads: self.max_threads as usize + 1,
            any_threads: self.any_threads,
            marked: self.marked.is_some(),
            ..Settings::default()
        }
    }

    /// Whether only the program's own checks are requested.
    pub(crate) fn only_reach(&self) -> bool {
        self.checks.iter().all(|k| *k == CheckKind::Reach)
    }

    /// Whether a call of this function is the error.
    pub(crate) fn is_error_function(&self, name: &str) -> bool {
        match &self.error_function {
            Some(chosen) => name == chosen,
            None => matches!(name, "reach_error" | "__VERIFIER_error"),
        }
    }

    pub(crate) fn wants(&self, kind: CheckKind) -> bool {
        self.checks.contains(&kind)
    }
}
