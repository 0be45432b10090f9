//! The options of the front end, as the tools that read C take them.

use crate::Usage;
use crate::options::{Choice, choice, words};
use cfront::{EvaluationOrder, ExternPolicy, Globals, UnknownPointers};
use clap::{ArgAction, Args};
use ir::{CheckKind, DataModel};
use passes::checks::ProgramEnds;
use std::path::{Path, PathBuf};

/// The headings of help, in their order.
pub const CHECKED: &str = "What is checked";
/// Of where executions begin.
pub const BEGIN: &str = "Where to begin";
/// Of how C files are read.
pub const READING: &str = "Reading C";
/// Of what C leaves to its implementations, and of what is not in the program.
pub const MEANING: &str = "Meaning of C";
/// Of how an answer is found.
pub const DECIDED: &str = "How it is decided";

/// What is asked about C files, and how they are read.
#[derive(Args, Clone, Debug)]
pub struct FrontEnd {
    /// Kinds of checks, comma separated (default: reach)
    ///
    /// reach (assertions, error calls and ERROR labels) is always checked, unless the list begins with `only:`. Others:
    /// overflow (signed), div0, null, bounds, shift, uninit, free, leak, format, file, readonly, overlap, noreturn,
    /// convert, order, or all for all of these; member (of records); race, deadlock (of threads). Default: reach, and
    /// all if the program has no assertion, error call or ERROR label
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = words(kind_names()), hide_possible_values = true, help_heading = CHECKED)]
    pub check: Vec<String>,
    /// Check the property in this file, instead of --check
    #[arg(long, value_name = "FILE.prp", help_heading = CHECKED)]
    pub property: Option<PathBuf>,
    /// Check these rules of interface use, comma separated
    ///
    /// Names of library rules (`slam rules list`), or .slic files; nothing else is checked then, unless --check says so
    #[arg(long = "rule", value_name = "RULE", value_delimiter = ',', value_parser = words(rule_names()), hide_possible_values = true, action = ArgAction::Append, help_heading = CHECKED)]
    pub rules: Vec<String>,
    /// Check all rules in this folder that fit the program
    ///
    /// A rule fits if the program has its functions
    #[arg(long = "rules", value_name = "DIR", action = ArgAction::Append, help_heading = CHECKED)]
    pub rule_folders: Vec<PathBuf>,
    /// Accept a --rule FILE whose functions the program never calls
    #[arg(long, help_heading = CHECKED, hide_short_help = true)]
    pub unused_rules: bool,
    /// The function where execution starts
    ///
    /// A function other than main gets any arguments of their types: each pointer is NULL or points to objects of its
    /// own. Several functions, comma separated, are called any number of times in any order
    #[arg(long, value_name = "NAME", default_value = "main", help_heading = BEGIN)]
    pub entry: String,
    /// Call functions as described in this file
    ///
    /// With any arguments, from lines `init: f`, `any: g, h` and `exit: k`
    #[arg(long, value_name = "FILE", conflicts_with = "entry", help_heading = BEGIN)]
    pub environment: Option<PathBuf>,
    /// Values of globals when the entry function is called
    #[arg(long, value_name = "WHAT", default_value = "initial", value_parser = choice(GLOBALS), help_heading = BEGIN, hide_short_help = true)]
    pub globals: Globals,
    /// Least number of arguments of main
    ///
    /// The program's name counts as one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(i32::MAX)), help_heading = BEGIN, hide_short_help = true)]
    pub argc_min: u32,
    /// Length of the array behind each pointer argument of the entry function
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 20), help_heading = BEGIN, hide_short_help = true)]
    pub array_size: u32,
    /// Search this directory for included files
    #[arg(short = 'I', value_name = "DIR", action = ArgAction::Append, help_heading = READING)]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", action = ArgAction::Append, help_heading = READING)]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", action = ArgAction::Append, help_heading = READING, hide_short_help = true)]
    pub undefs: Vec<String>,
    /// Read this file before the input (written -include FILE, as for cc)
    #[arg(long = "include", value_name = "FILE", action = ArgAction::Append, help_heading = READING, hide_short_help = true)]
    pub includes: Vec<PathBuf>,
    /// Read options from the compile_commands.json in this folder
    #[arg(long, value_name = "DIR", help_heading = READING)]
    pub compile_commands: Option<PathBuf>,
    /// Treat the input as already preprocessed
    #[arg(long, help_heading = READING, hide_short_help = true)]
    pub no_preprocess: bool,
    /// Widths of C's types
    #[arg(long, value_name = "MODEL", default_value = "LP64", ignore_case = true, value_parser = choice(DATA_MODELS), help_heading = READING)]
    pub data_model: DataModel,
    /// Define functions that the program lacks, in C
    ///
    /// The definitions in this C file are used where the program has none; they take precedence over the built-in
    /// models
    #[arg(long = "model", value_name = "FILE", action = ArgAction::Append, help_heading = MEANING)]
    pub models: Vec<PathBuf>,
    /// Assumption about functions that are defined nowhere
    #[arg(long = "extern", value_name = "POLICY", default_value = "havoc", value_parser = choice(EXTERN_POLICIES), help_heading = MEANING)]
    pub extern_policy: ExternPolicy,
    /// What pointers returned by undefined functions point to
    #[arg(long, value_name = "WHERE", default_value = "alias", value_parser = choice(UNKNOWN_POINTERS), help_heading = MEANING, hide_short_help = true)]
    pub unknown_pointers: UnknownPointers,
    /// Whether malloc can fail
    ///
    /// Applies to calloc and all other allocating functions, too
    #[arg(long, value_name = "yes|no", default_value = "yes", value_parser = choice(MAY_FAIL), action = ArgAction::Set, help_heading = MEANING)]
    pub malloc_may_fail: bool,
    /// Meaning of signed overflow
    #[arg(long = "signed-overflow", value_name = "MEANING", default_value = "undefined", value_parser = choice(OVERFLOWS), action = ArgAction::Set, help_heading = MEANING, hide_short_help = true)]
    pub signed_wrap: bool,
    /// Meaning of a read of a volatile object other than a local variable
    #[arg(long = "volatile", value_name = "MEANING", default_value = "plain", value_parser = choice(VOLATILES), action = ArgAction::Set, help_heading = MEANING, hide_short_help = true)]
    pub volatile_havoc: bool,
    /// Evaluation order of operands where C leaves it open
    #[arg(long, value_name = "ORDER", default_value = "any", value_parser = choice(EVALUATION_ORDERS), help_heading = MEANING, hide_short_help = true)]
    pub evaluation_order: EvaluationOrder,
    /// Largest number of threads that an execution may start
    ///
    /// If it may start more, the answer is UNKNOWN unless an error is found before
    #[arg(long, value_name = "N", default_value_t = cfront::MAX_THREADS, value_parser = clap::value_parser!(u32).range(1..=i64::from(cfront::MOST_THREADS)), help_heading = MEANING, hide_short_help = true)]
    pub max_threads: u32,
    /// Treat threads started in a loop as unboundedly many (proofs only: no errors are reported)
    ///
    /// `slam check` does this by itself if a loop starts more than --max-threads
    #[arg(long, help_heading = MEANING, hide_short_help = true)]
    pub any_threads: bool,
}

impl FrontEnd {
    /// Refuses rules, for a command that has nothing to do with them.
    ///
    /// # Errors
    /// That it has not, when there are some.
    pub fn without_rules(&self) -> Result<(), Usage> {
        match self.rules.is_empty() && self.rule_folders.is_empty() {
            true => Ok(()),
            false => Err(Usage::mistake("--rule: this command has nothing to do with rules")),
        }
    }

    /// The files that the options name, apart from the programs.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let files =
            self.includes.iter().chain(&self.models).chain(&self.property).chain(&self.compile_commands);
        let rules = self.rules.iter().map(Path::new).filter(|rule| rule.extension().is_some());
        files.chain(&self.environment).map(PathBuf::as_path).chain(rules)
    }
}

/// The words of `--check`.
fn kind_names() -> impl Iterator<Item = &'static str> {
    super::kinds().map(CheckKind::name).chain(["all"])
}

/// The names of the library's rules.
fn rule_names() -> impl Iterator<Item = &'static str> {
    slic::LIBRARY.iter().map(|entry| entry.name)
}

/// The two common models of the widths of C's types.
pub const DATA_MODELS: [Choice<DataModel>; 2] = [
    ("ILP32", "int, long and pointers have 32 bits", DataModel::Ilp32),
    ("LP64", "int has 32 bits, long and pointers have 64", DataModel::Lp64),
];

/// Where the pointers lead that undefined functions return.
pub const UNKNOWN_POINTERS: [Choice<UnknownPointers>; 3] = [
    (
        "alias",
        "To any memory, also such that the program has given away; nothing is known of its contents",
        UnknownPointers::Alias,
    ),
    (
        "fresh",
        "Each to an object of its own with any contents, or it is NULL; where its type is complete",
        UnknownPointers::Fresh,
    ),
    ("refuse", "Executions that reach such a call are not analysed further", UnknownPointers::Refuse),
];

/// What globals hold at the start.
pub const GLOBALS: [Choice<Globals>; 2] = [
    ("initial", "What their initialisers say", Globals::Initial),
    ("any", "Anything of their types", Globals::Any),
];

/// Where memory that is not freed is looked for: what was asked for says it, and no option.
pub const PROGRAM_ENDS: [Choice<ProgramEnds>; 3] = [
    ("return", "At the end of the entry function", ProgramEnds::Return),
    ("exit", "At calls of exit, too", ProgramEnds::Exit),
    ("any", "At calls of abort, too", ProgramEnds::Any),
];

/// In which order operands are evaluated.
pub const EVALUATION_ORDERS: [Choice<EvaluationOrder>; 3] = [
    ("any", "In every order that C allows", EvaluationOrder::Any),
    ("left", "From left to right", EvaluationOrder::Left),
    ("gcc", "As gcc does on x86-64", EvaluationOrder::Gcc),
];

/// What is assumed of functions that are defined nowhere.
pub const EXTERN_POLICIES: [Choice<ExternPolicy>; 4] = [
    (
        "havoc",
        "Any result; they may write what their arguments reach and what has escaped",
        ExternPolicy::Havoc,
    ),
    ("havoc-all", "The same, and every global that other files can name", ExternPolicy::HavocAll),
    ("pure", "Any result; they write nothing", ExternPolicy::Pure),
    ("error", "Calling one is an error", ExternPolicy::Error),
];

/// Whether a read of a volatile object gives anything.
const VOLATILES: [Choice<bool>; 2] = [
    (
        "plain",
        "What was stored last, unless the object is defined nowhere or stands at a fixed address",
        false,
    ),
    ("havoc", "Anything", true),
];

/// Whether an allocation may fail.
const MAY_FAIL: [Choice<bool>; 2] =
    [("yes", "NULL is a possible answer, as C has it", true), ("no", "Memory never runs out", false)];

/// Whether signed overflow wraps.
const OVERFLOWS: [Choice<bool>; 2] = [
    ("undefined", "The execution does not count (or is reported, where overflow is checked)", false),
    ("wrap", "Two's complement, as with -fwrapv", true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Everything {
        #[command(flatten)]
        front_end: FrontEnd,
        file: Option<PathBuf>,
    }

    #[test]
    fn compiler_style_options() {
        let line = "x -Iinc -DA=1 -D B -U C -include pre.h --data-model ilp32 --extern pure f.c";
        let words: Vec<_> = line.split(' ').map(std::ffi::OsString::from).collect();
        let Everything { front_end, file } = crate::parse(&words).expect("well-formed");
        assert_eq!(front_end.defines, ["A=1", "B"]);
        assert_eq!(front_end.includes, [PathBuf::from("pre.h")]);
        assert_eq!(front_end.data_model, DataModel::Ilp32);
        assert_eq!(front_end.extern_policy, ExternPolicy::Pure);
        assert_eq!((front_end.malloc_may_fail, front_end.signed_wrap), (true, false));
        assert!(front_end.check.is_empty());
        assert_eq!(file, Some(PathBuf::from("f.c")));
    }
}
