//! Rules of interface use on a command line: which ones are meant, and the marks that they need.

use super::{FrontEnd, Refused, Request, tell};
use crate::{Usage, Verdict};
use base::SourceMap;
use base::styles::NOTE;
use cfront::{Frontend, Marked};
use slic::{Known, Source};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The ending of files of rules.
pub const ENDING: &str = "slic";

/// The rules that words of a command line and folders mean, in this order.
///
/// # Errors
/// A word that means no rule, or several; a file that cannot be read.
pub(super) fn given(options: &FrontEnd) -> Result<Vec<Source>, Refused> {
    let mut rules = vec![];
    for word in &options.rules {
        let rule = named(word)?;
        rules.push(Source { may_be_unused: rule.may_be_unused || options.unused_rules, ..rule });
    }
    for file in files(&options.rule_folders).map_err(Refused::Usage)? {
        rules.push(Source { may_be_unused: true, ..from_file(Path::new(&file))? });
    }
    Ok(rules)
}

/// The files of rules in folders, by name in each.
///
/// # Errors
/// A folder that cannot be read, or has no rule.
pub fn files(folders: &[PathBuf]) -> Result<Vec<String>, Usage> {
    let mut out = vec![];
    for folder in folders {
        let files = in_folder(folder)?;
        if files.is_empty() {
            let message = format!("--rules {}: there is no rule in this folder", folder.display());
            return Err(Usage::mistake(message));
        }
        out.extend(files.iter().map(|file| file.display().to_string()));
    }
    Ok(out)
}

fn mistake(message: String) -> Refused {
    Refused::Usage(Usage::mistake(message))
}

/// The rule that a word means: a file in .slic, or a name of the library.
///
/// # Errors
/// A word that means no rule, or several; a file that cannot be read.
pub fn named(word: &str) -> Result<Source, Refused> {
    let path = Path::new(word);
    if path.extension().is_some_and(|e| e == ENDING) {
        return from_file(path);
    }
    match slic::find(word)[..] {
        [entry] => Ok(entry.into()),
        [] => Err(mistake(format!(
            "there is no rule `{}`: `slam rules list` shows those of the library, and a file's name ends in .slic",
            base::shown(word)
        ))),
        [_, _, ..] => {
            let names: Vec<&str> = slic::find(word).iter().map(|e| e.name).collect();
            Err(mistake(format!("several rules are called `{word}`: {}", names.join(", "))))
        }
    }
}

/// The rule in a file.
///
/// # Errors
/// When it cannot be read.
pub fn from_file(path: &Path) -> Result<Source, Refused> {
    let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Source {
        name,
        file: path.display().to_string(),
        text: super::read(path, "rule")?,
        may_be_unused: false,
    })
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Usage> {
    let complain = |e| Usage::mistake(format!("--rules {}: {e}", folder.display()));
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).map_err(complain)? {
        let path = entry.map_err(complain)?.path();
        if path.extension().is_some_and(|e| e == ENDING) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Asks the front end for the marks that the rules need.
///
/// # Errors
/// The verdict of a rule that is refused; why is written to standard error.
pub fn mark(request: &mut Request, stderr: &mut dyn Write) -> Result<(), Verdict> {
    if request.rules.is_empty() {
        return Ok(());
    }
    let mut sources = SourceMap::new();
    let mut found = slic::same_names(&request.rules, &mut sources);
    match functions(&request.rules, &mut sources) {
        Ok(names) => request.options.marked = Some(names),
        Err(mistakes) => found.extend(mistakes),
    }
    if found.is_empty() {
        return Ok(());
    }
    tell(stderr, &found, &sources);
    Err(Verdict::Error("rule".into()))
}

/// The functions that the rules name.
///
/// # Errors
/// What is wrong with the rules.
pub fn functions(rules: &[Source], sources: &mut SourceMap) -> Result<Vec<String>, Vec<base::Diagnostic>> {
    let (mut names, mut found) = (vec![], vec![]);
    for rule in rules {
        match rule.read(sources) {
            Ok(rule) => names.extend(rule.functions().into_iter().map(|n| n.text.clone())),
            Err(mistakes) => found.extend(mistakes),
        }
    }
    names.sort();
    names.dedup();
    if found.is_empty() { Ok(names) } else { Err(found) }
}

/// Looks whether the rules fit the functions that the program has.
///
/// # Errors
/// The verdict when they do not; why is written to standard error.
pub(super) fn fit(rules: &[Source], front: &mut Frontend, stderr: &mut dyn Write) -> Result<(), Verdict> {
    let known =
        |m: &Marked| Known { name: m.name.clone(), parameters: m.parameters, result: m.result, span: m.span };
    let known: Vec<Known> = front.marked.iter().map(known).collect();
    let mut found = vec![];
    for source in rules {
        if let Ok(rule) = source.read(&mut front.sources) {
            found.extend(slic::never_aborts(&rule, source.add(&mut front.sources)));
            found.extend(slic::misfits(&rule, source.may_be_unused, &known));
            let names = rule.functions();
            if source.may_be_unused && names.iter().all(|n| known.iter().all(|k| k.name != n.text)) {
                let note = "the program has none of the functions of the rule";
                let _ = writeln!(stderr, "{NOTE} {note} {}", source.name);
            }
        }
    }
    tell(stderr, &found, &front.sources);
    match found.iter().any(|d| d.severity == base::Severity::Error) {
        true => Err(Verdict::Error("rule".into())),
        false => Ok(()),
    }
}
