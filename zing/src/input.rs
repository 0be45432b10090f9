//! Reading a program, and the command `fmt`.

use base::SourceMap;
use cli::models::{Refused, rendered, text};
use cli::process::{Sink, tell};
use cli::verdict::{EXIT_INPUT, EXIT_UNSAFE};
use std::path::{Path, PathBuf};
use zing::code::Code;

/// Print the program in canonical form
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Names and types are not looked at. Comments are not kept.
Exit codes: 0 done, 10 not in canonical form (--check), 2 bad input, 1 usage, 7 result not written.")]
pub(crate) struct Format {
    /// The program (`-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only report whether the file is in canonical form
    #[arg(long)]
    check: bool,
}

/// What is asked of boolean programs.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Boolean programs")]
pub(crate) struct Boolean {
    /// Check this label, L or PROCEDURE:L, instead of assertions; can be repeated
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// The procedure where execution starts (main)
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

impl Boolean {
    pub(crate) fn is_used(&self) -> bool {
        !self.labels.is_empty() || self.entry.is_some()
    }
}

/// Whether the file is read as a boolean program.
pub(crate) fn is_boolean(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "bp")
}

/// `NAME=NUMBER`
pub(crate) fn constant(text: &str) -> Result<(String, i32), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let number = number.trim().parse().map_err(|_| format!("`{number}` is no number of 32 bits"))?;
    Ok((name.trim().to_owned(), number))
}

/// Reads and compiles a program; with warnings.
pub(crate) fn read(
    path: &Path,
    constants: &[(String, i32)],
    boolean: &Boolean,
    sources: &mut SourceMap,
) -> Result<(Code, String), Refused> {
    let (text, file) = text(path, sources)?;
    if is_boolean(path) {
        return read_boolean(&text, file, boolean, sources);
    }
    let program = zing::parse(&text, file).map_err(|e| (e.styled(sources), "parse"))?;
    let overrides = constants.iter().cloned().collect();
    let code = zing::compile(&program, &overrides).map_err(|errors| (rendered(&errors, sources), "check"))?;
    Ok((code, String::new()))
}

fn read_boolean(
    text: &str,
    file: base::FileId,
    boolean: &Boolean,
    sources: &SourceMap,
) -> Result<(Code, String), Refused> {
    let parsed = bp::parse(text, file, bp::Dialect::Strict);
    let (program, mut warnings) = parsed.map_err(|errors| (rendered(&errors, sources), "parse"))?;
    let built = bp::Cfg::build(&program, boolean.entry.as_deref());
    let (cfg, more) = built.map_err(|errors| (rendered(&errors, sources), "check"))?;
    warnings.extend(more);
    let mut goals = vec![];
    for label in &boolean.labels {
        let found = cfg.find_label(label);
        if found.is_empty() {
            return Err((format!("error: there is no label `{label}`\n"), "no such label"));
        }
        goals.extend(found);
    }
    if boolean.labels.is_empty() {
        goals = cfg.failures();
    }
    Ok((zing::from_boolean(&cfg, &goals).code, rendered(&warnings, sources)))
}

/// Runs `zing fmt`; returns the exit code.
pub(crate) fn format(command: &Format, stdout: &mut Sink<'_>, stderr: &mut Sink<'_>) -> i32 {
    let mut sources = SourceMap::new();
    let parsed = text(&command.file, &mut sources).and_then(|(text, file)| {
        let program = zing::parse(&text, file).map_err(|e| (e.styled(&sources), "parse"))?;
        Ok((text, program))
    });
    match parsed {
        Err((messages, _)) => tell(stderr, &messages, EXIT_INPUT),
        Ok((text, program)) => {
            let canonical = zing::print(&program);
            match command.check {
                false => tell(stdout, &canonical, 0),
                true if canonical == *text => 0,
                true => {
                    let message = format!("{}: not in canonical form\n", command.file.display());
                    tell(stderr, &message, EXIT_UNSAFE)
                }
            }
        }
    }
}
