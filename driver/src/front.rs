//! From the command line to a program: the front end's options, its messages, its refusals.

use cfront::{Failure, Frontend};
use cli::options::{DataModel, FrontEnd, MayFail, SignedOverflow};
use cli::{Usage, Verdict};
use cmm::CheckKind;
use std::io::Write;
use std::path::PathBuf;

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

/// The front end's options.
///
/// # Errors
/// A usage error when `--check` names something that is no check, or that cannot be checked yet.
pub(crate) fn options(given: &FrontEnd) -> Result<cfront::Options, Usage> {
    let mut checks = vec![];
    for name in &given.check {
        let kind = KINDS.into_iter().find(|k| k.name() == name);
        match kind {
            Some(CheckKind::Reach) => checks.push(CheckKind::Reach),
            Some(_) => {
                return Err(Usage::mistake(format!("--check {name} is not supported yet, only reach is")));
            }
            None => {
                return Err(Usage::mistake(format!(
                    "--check {name}: there is no such check; there is reach"
                )));
            }
        }
    }
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
        checks,
        ..cfront::Options::default()
    })
}

/// Reads the files as one program; messages go to standard error.
///
/// # Errors
/// The verdict of input that is refused.
pub(crate) fn load(
    files: &[PathBuf],
    options: &cfront::Options,
    stderr: &mut dyn Write,
) -> Result<Frontend, Verdict> {
    match cfront::load(files, options) {
        Ok(front) => {
            for warning in &front.warnings {
                let _ = stderr.write_all(warning.render(&front.sources).as_bytes());
            }
            Ok(front)
        }
        Err(Failure { kind, diagnostics, sources }) => {
            for diagnostic in &diagnostics {
                let _ = stderr.write_all(diagnostic.render(&sources).as_bytes());
            }
            Err(Verdict::Error(kind.words().into()))
        }
    }
}
