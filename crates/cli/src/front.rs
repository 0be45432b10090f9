//! What the tools that read C share: the front end's options as `cfront` takes them, and how programs are loaded.
//!
//! Invariant: this is the only translation from the command line to the front end, so that an option means the same
//! in every tool.

use crate::options::{DataModel, Extern, FrontEnd, MayFail, SignedOverflow};
use crate::verdict::{EXIT_INPUT, EXIT_UNKNOWN, Verdict};
use crate::{Usage, verdict};
use base::{Diagnostic, SourceMap};
use cfront::{ExternPolicy, Failure, Frontend};
use cmm::analysis::{AliasMode, AliasOracle};
use cmm::{CheckKind, Program};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// The front end's options.
///
/// # Errors
/// A usage error when `--check` names something that is no check.
pub fn options(given: &FrontEnd) -> Result<cfront::Options, Usage> {
    Ok(cfront::Options {
        include_dirs: given.include_dirs.clone(),
        defines: given.defines.clone(),
        undefs: given.undefs.clone(),
        includes: given.includes.clone(),
        no_preprocess: given.no_preprocess,
        data_model: match given.data_model {
            DataModel::Ilp32 => cmm::DataModel::Ilp32,
            DataModel::Lp64 => cmm::DataModel::Lp64,
        },
        entry: given.entry.clone(),
        signed_wrap: given.signed_overflow == SignedOverflow::Wrap,
        malloc_may_fail: given.malloc_may_fail == MayFail::Yes,
        checks: checks(&given.check)?,
        extern_policy: match given.extern_policy {
            Extern::Havoc => ExternPolicy::Havoc,
            Extern::HavocAll => ExternPolicy::HavocAll,
            Extern::Pure => ExternPolicy::Pure,
            Extern::Error => ExternPolicy::Error,
        },
        models: given.models.clone(),
        ..cfront::Options::default()
    })
}

/// All kinds that `--check` names.
const KINDS: [CheckKind; 9] = [
    CheckKind::Reach,
    CheckKind::Overflow,
    CheckKind::Div0,
    CheckKind::Null,
    CheckKind::Bounds,
    CheckKind::Shift,
    CheckKind::Uninit,
    CheckKind::Free,
    CheckKind::Leak,
];

fn checks(words: &[String]) -> Result<Vec<CheckKind>, Usage> {
    let mut checks = BTreeSet::new();
    for word in words {
        match KINDS.into_iter().find(|k| k.name() == word) {
            Some(kind) => {
                checks.insert(kind);
            }
            None if word == "all" => checks.extend(KINDS),
            None => {
                let names: Vec<&str> = KINDS.iter().map(|k| k.name()).collect();
                let message =
                    format!("--check {word}: there is no such check; there are {}, all", names.join(", "));
                return Err(Usage::mistake(message));
            }
        }
    }
    Ok(checks.into_iter().collect())
}

/// Reads the files as one program; messages go to standard error.
///
/// # Errors
/// The verdict of input that is refused.
pub fn load(
    files: &[PathBuf],
    options: &cfront::Options,
    stderr: &mut dyn Write,
) -> Result<Frontend, Verdict> {
    match cfront::load(files, options) {
        Ok(front) => {
            tell(stderr, &front.warnings, &front.sources);
            Ok(front)
        }
        Err(Failure { kind, diagnostics, sources }) => {
            tell(stderr, &diagnostics, &sources);
            Err(Verdict::Error(kind.words().into()))
        }
    }
}

/// Prints diagnostics.
pub fn tell(stderr: &mut dyn Write, diagnostics: &[Diagnostic], sources: &SourceMap) {
    for d in diagnostics {
        let _ = stderr.write_all(d.render(sources).as_bytes());
    }
}

/// A program with its function pointers resolved, as the tools that show one stage alone work on it.
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Its oracle.
    pub oracle: AliasOracle,
    /// The files that its spans speak of.
    pub sources: SourceMap,
}

/// What to print on standard error, and the exit code.
pub type Failed = (String, i32);

/// Reads the files as one program and resolves its function pointers; warnings go to standard error.
///
/// # Errors
/// Usage, refused input, or function pointers that cannot be resolved.
pub fn load_resolved(files: &[PathBuf], given: &FrontEnd, stderr: &mut dyn Write) -> Result<Loaded, Failed> {
    let options = options(given).map_err(|usage| (usage.text, verdict::EXIT_USAGE))?;
    let front = cfront::load(files, &options).map_err(|failure| {
        let messages = failure.diagnostics.iter().map(|d| d.render(&failure.sources));
        (messages.collect(), EXIT_INPUT)
    })?;
    let sources = front.sources;
    tell(stderr, &front.warnings, &sources);
    let first = AliasOracle::new(&front.program, AliasMode::Das);
    let program = cmm::analysis::resolve_indirect(&front.program, &first)
        .map_err(|e| (Diagnostic::error(e.span, e.message()).render(&sources), EXIT_UNKNOWN))?;
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    Ok(Loaded { program, oracle, sources })
}
