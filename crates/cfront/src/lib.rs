//! C front end: source text to C-- ([`ir::Program`]).
//!
//! The pipeline is: read and preprocess (`input`), rewrite tokens that the parser does not accept (`mend`),
//! parse with lang-c (`parse`), then check types and lower in one pass (`unit`, `expr`, `stmt`) the functions
//! that the entry reaches. Invariant: what is not modelled exactly is either over-approximated by `Havoc` or
//! refused with a located diagnostic; nothing is dropped silently. This is the only crate that names lang-c.

mod accesses;
pub mod arguments;
mod atomic;
mod builtin;
mod bundles;
mod cfg;
mod classes;
mod cond;
mod constant;
mod consts;
mod contracts;
mod conversions;
mod cx;
mod decl;
mod declarator;
mod declare;
mod entry_arguments;
mod environment;
mod expr;
mod files;
mod floats;
mod format;
mod formats;
mod harness;
mod init;
mod input;
mod layout;
mod lex;
mod library;
mod lines;
mod load;
mod made_text;
mod marks;
mod memory;
mod mend;
mod models;
mod object_size;
mod options;
mod order;
mod output;
mod overlap;
mod parse;
mod parts;
mod pointed;
mod primitives;
mod procs;
mod profile;
mod quiet;
mod records;
mod scan;
mod scope;
mod special;
mod statics;
mod stmt;
mod structors;
mod survey;
mod syntax_errors;
mod threads;
#[cfg(test)]
mod treatment;
mod ty;
mod unit;
mod vla;
mod words;

pub use harness::{HARNESS, Harness};
pub use library::is_library_function;
pub use models::MODELS;
pub use options::{
    Environment, EvaluationOrder, ExternPolicy, Failure, FailureKind, Frontend, Globals, MAX_THREADS,
    MOST_THREADS, Marked, Options, UnknownPointers,
};
pub use passes::argument_strings::ARGUMENTS;
pub use profile::{Profile, profile};
pub use survey::{Survey, survey};
pub use words::{Scanned, Words};

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
    match input::read(file, options, &mut sources) {
        Ok(text) => Ok(text.text),
        Err(stop) => Err(failure(*stop, sources)),
    }
}

fn failure(stop: options::Stop, sources: base::SourceMap) -> Failure {
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
        Ok(lowered) => Ok(Frontend {
            program: lowered.program,
            sources,
            warnings: lowered.warnings,
            externs: lowered.externs,
            not_checked: lowered.not_checked,
            conditions: lowered.conditions,
            harness: lowered.harness,
            words: lowered.words,
            marked: lowered.marked,
            more_threads: lowered.more_threads,
        }),
        Err(stop) => Err(failure(*stop, sources)),
    }
}
