//! C front end: source text to C-- ([`ir::Program`]).
//!
//! Here are the reading and preprocessing of files, repairs of what the parser does not accept (`text`), parsing and
//! syntax errors (`syntax`), C's types and the layout of records (`types`), the lowering of declarations, expressions
//! and statements that the entry function reaches (`lower`), the functions of the C library, as models in C, contracts
//! and meanings of their own (`library`), and the C text that calls an entry function other than `main` (`harness`).
//! Each folder knows only those named before it; `library` and `lower` call each other.
//!
//! Invariant: what is not modelled exactly is either over-approximated by `Havoc` or refused with a located diagnostic;
//! nothing is dropped silently.
//!
//! ```
//! let file = std::env::temp_dir().join(format!("cfront-{}.c", std::process::id()));
//! std::fs::write(&file, "int main(void) { int n = 0; while (n < 3) n++; return n; }")?;
//! let options = cfront::Options { no_preprocess: true, need_checks: false, ..cfront::Options::default() };
//! let loaded = cfront::load(std::slice::from_ref(&file), &options).expect("C that is taken");
//! std::fs::remove_file(&file)?;
//! let text = ir::print::program(&loaded.program, None);
//! assert!(text.contains("n = n + 1"), "{text}");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Architecture invariant: no language of rules, prover, boolean program, command line or format of results is known here, and this
//! is the only crate that names lang-c. What happens to C-- afterwards is not known either, but for the passes that
//! `load` calls.

mod error;
mod frontend;
mod harness;
mod library;
mod load;
mod lower;
mod lower_all;
mod options;
mod syntax;
mod text;
mod timing;
mod types;

pub use error::{Failure, FailureKind};
pub use frontend::Frontend;
pub use harness::{HARNESS, Harness};
pub use library::is_library_function;
pub use library::models::MODELS;
pub use library::rule_marks::Marked;
pub use lower::source_names::{Scanned, Words};
pub use lower_all::{Survey, survey};
pub use options::{
    Environment, EvaluationOrder, ExternPolicy, Globals, MAX_THREADS, MOST_THREADS, Options, UnknownPointers,
};
pub use passes::argument_strings::ARGUMENTS;
pub use text::arguments;
pub use timing::{Profile, profile};

use std::path::PathBuf;

/// The names of the functions that the files define, in their order, without those of headers; `main` is one of them.
///
/// # Errors
/// A `Failure` with located diagnostics, when the files or their declarations are not taken.
pub fn functions(files: &[PathBuf], options: &Options) -> Result<Vec<String>, Failure> {
    let mut sources = base::SourceMap::new();
    load::functions(files, options, &mut sources).map_err(|stop| failure(*stop, sources))
}

/// The text of a file behind the preprocessor, with all that it includes.
///
/// # Errors
/// A `Failure` with located diagnostics, when it cannot be read or preprocessed.
pub fn preprocessed(file: &std::path::Path, options: &Options) -> Result<String, Failure> {
    let mut sources = base::SourceMap::new();
    match text::input::read(file, options, &mut sources) {
        Ok(text) => Ok(text.text),
        Err(stop) => Err(failure(*stop, sources)),
    }
}

fn failure(stop: error::Stop, sources: base::SourceMap) -> Failure {
    Failure { kind: stop.kind, diagnostics: stop.diagnostics, sources }
}

/// Reads, preprocesses, parses and lowers the files as one program (`-` is standard input).
///
/// # Errors
/// A `Failure` with located diagnostics: unreadable input, errors of the preprocessor, syntax and type
/// errors, constructs that are refused, a missing entry function, a program without any check.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Frontend, Failure> {
    let mut sources = base::SourceMap::new();
    match load::load_files(files, options, &mut sources) {
        Ok((lowered, harness)) => Ok(Frontend {
            program: lowered.program,
            sources,
            warnings: lowered.warnings,
            externs: lowered.externs,
            not_checked: lowered.not_checked,
            conditions: lowered.conditions,
            harness,
            words: lowered.words,
            marked: lowered.marked,
            more_threads: lowered.more_threads,
        }),
        Err(stop) => Err(failure(*stop, sources)),
    }
}
