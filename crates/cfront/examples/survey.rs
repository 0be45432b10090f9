//! Says what the front end refuses in C files, looking at every function and object: `survey [-I DIR | -D MACRO |
//! --together]… FILE…`, one line for each file (`scripts/packages.py` counts them). Words, separated by tabs: the file; `taken` or
//! `refused`; how many functions it has; then each reason with its place, of statements that no execution may reach with `reached:`
//! in front.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the lines are what it is for")]

use base::{Diagnostic, SourceMap, Span};
use cfront::{Options, survey};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut options = Options { need_checks: false, ..Options::default() };
    let mut files: Vec<PathBuf> = vec![];
    let mut together = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-I" | "-D" => {
                let Some(value) = arguments.next() else {
                    eprintln!("`{argument}` needs a value");
                    return ExitCode::from(2);
                };
                match argument.as_str() {
                    "-I" => options.include_dirs.push(value.into()),
                    _ => options.defines.push(value),
                }
            }
            "--together" => together = true,
            _ => files.push(argument.into()),
        }
    }
    let work = move || {
        let parts: Vec<&[PathBuf]> = if together { vec![&files] } else { files.chunks(1).collect() };
        parts.into_iter().for_each(|part| println!("{}", line(part, &options)));
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work);
    match thread.map(|t| t.join()) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn line(files: &[PathBuf], options: &Options) -> String {
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let mut words = vec![names.join(" ")];
    match survey(files, options) {
        Ok(found) => {
            words.push(if found.refused.is_empty() { "taken" } else { "refused" }.to_owned());
            words.push(found.functions.to_string());
            words.extend(found.refused.iter().map(|d| reason(d, &found.sources)));
            let reached = found.unmodelled.iter();
            words.extend(
                reached.map(|c| format!("reached: {}: {}", place(c.span, &found.sources), c.message)),
            );
        }
        Err(failure) => {
            words.extend(["refused".to_owned(), "0".to_owned()]);
            words.extend(failure.diagnostics.iter().take(1).map(|d| reason(d, &failure.sources)));
        }
    }
    words.iter().map(|w| w.replace(['\t', '\n'], " ")).collect::<Vec<_>>().join("\t")
}

fn reason(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let at = diagnostic.span.map_or(String::new(), |span| place(span, sources));
    format!("{at}: {}", diagnostic.message)
}

fn place(span: Span, sources: &SourceMap) -> String {
    sources.short(span)
}
