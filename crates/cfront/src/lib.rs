//! C front end: source text to C-- ([`cmm::Program`]).
//!
//! The pipeline is: read and preprocess (`input`), mend what the parser does not know at token level
//! (`mend`), parse with lang-c (`parse`), then check types and lower in one pass (`unit`, `expr`,
//! `stmt`) the functions that the entry reaches. Invariant: what is not modelled exactly is either
//! over-approximated by `Havoc` or refused with a located diagnostic; nothing is dropped silently. This is the
//! only crate that names lang-c.

mod accesses;
pub mod arguments;
mod builtin;
mod cfg;
mod cond;
mod consts;
mod contracts;
mod cx;
mod decl;
mod declarator;
mod declare;
mod entry_arguments;
mod expr;
mod facts;
mod format;
mod init;
mod input;
mod layout;
mod lex;
mod library;
mod lines;
mod memory;
mod mend;
mod models;
mod object_size;
mod options;
mod order;
mod output;
mod parse;
mod pointed;
mod procs;
mod profile;
mod quiet;
mod records;
mod scan;
mod scope;
mod special;
mod statics;
mod stmt;
mod ty;
mod unit;
mod vla;
mod words;

pub use entry_arguments::ARGUMENTS;
pub use models::MODELS;
pub use options::{EvaluationOrder, ExternPolicy, Failure, FailureKind, Frontend, Options};
pub use profile::{Profile, profile};
pub use words::{Scanned, Words};

use std::path::PathBuf;

/// Reads, preprocesses, parses and lowers the files as one program (`-` is standard input).
///
/// # Errors
/// A `Failure` with located diagnostics: unreadable input, errors of the preprocessor, syntax and type
/// errors, constructs that are refused, a missing entry function, a program without any check.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Frontend, Failure> {
    let mut sources = base::SourceMap::new();
    match unit::load_files(files, options, &mut sources) {
        Ok(lowered) => Ok(Frontend {
            program: lowered.program,
            sources,
            warnings: lowered.warnings,
            externs: lowered.externs,
            not_checked: lowered.not_checked,
            conditions: lowered.conditions,
            words: lowered.words,
        }),
        Err(stop) => Err(Failure { kind: stop.kind, diagnostics: stop.diagnostics, sources }),
    }
}
