//! `slam rules`: the rules of the library, and whether files of rules are well-formed.

use crate::commands::Console;
use crate::options::Rules as Options;
use base::SourceMap;
use cli::Usage;
use cli::front::{self, rules};
use cli::verdict::EXIT_INPUT;
use std::fmt::Write;
use std::path::PathBuf;

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(console: Console<'_>, options: &Options) -> Result<i32, Usage> {
    match options {
        Options::List { word } => {
            let _ = console.stdout.write_all(list(word.as_deref())?.as_bytes());
            Ok(0)
        }
        Options::Show { name } => {
            let [entry] = slic::find(name)[..] else {
                let message = format!(
                    "there is no rule `{}` in the library: `slam rules list` shows them",
                    base::shown(name)
                );
                return Err(Usage::mistake(message));
            };
            let _ = console.stdout.write_all(entry.text.as_bytes());
            Ok(0)
        }
        Options::Check { files } => check(console, files),
    }
}

/// The rules whose names contain the word, with their first sentences.
fn list(word: Option<&str>) -> Result<String, Usage> {
    let named = |e: &&slic::Entry| word.is_none_or(|w| e.name.contains(w));
    let entries: Vec<&slic::Entry> = slic::LIBRARY.iter().filter(named).collect();
    let Some(width) = entries.iter().map(|e| e.name.len()).max() else {
        let word = base::shown(word.unwrap_or_default()).to_string();
        return Err(Usage::mistake(format!("no rule of the library has `{word}` in its name")));
    };
    let mut out = String::new();
    for entry in entries {
        let _ = writeln!(out, "{:width$}  {}", entry.name, entry.summary());
    }
    Ok(out)
}

/// Reads the files, and says what is wrong with them.
fn check(console: Console<'_>, files: &[PathBuf]) -> Result<i32, Usage> {
    let (mut given, mut refused) = (vec![], false);
    for file in files {
        match rules::from_file(file) {
            Ok(rule) => given.push(rule),
            Err(why) => {
                why.tell(console.stderr)?;
                refused = true;
            }
        }
    }
    let mut sources = SourceMap::new();
    let mut found = slic::same_names(&given, &mut sources);
    let mut warnings = vec![];
    for rule in &given {
        match rule.read(&mut sources) {
            Ok(read) => {
                let functions: Vec<&str> = read.functions().into_iter().map(|n| n.text.as_str()).collect();
                let about = if functions.is_empty() { "no function".into() } else { functions.join(", ") };
                let _ = writeln!(console.stdout, "{}: well-formed; about {about}", base::shown(&rule.file));
                warnings.extend(slic::never_aborts(&read, rule.add(&mut sources)));
            }
            Err(mistakes) => found.extend(mistakes),
        }
    }
    front::tell(console.stderr, &warnings, &sources);
    front::tell(console.stderr, &found, &sources);
    Ok(if refused || !found.is_empty() { EXIT_INPUT } else { 0 })
}
