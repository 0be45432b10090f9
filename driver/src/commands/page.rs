//! `slam report`: a page from a result, and pages from a folder of results.

use crate::commands::Console;
use crate::html;
use crate::options::Report;
use base::styles::{ERROR, NOTE};
use cli::Usage;
use cli::outputs;
use cli::process::Sink;
use cli::verdict::{EXIT_INPUT, EXIT_WRITE};
use results::{Form, Mistake, Outcome};
use std::path::{Path, PathBuf};

/// Runs the command and returns the exit code.
///
/// # Errors
/// A usage error.
pub(crate) fn run(Console { stdout, stderr, .. }: Console<'_>, options: &Report) -> Result<i32, Usage> {
    if options.result.is_dir() {
        return folder(stderr, options);
    }
    outputs::refuse(&[("--output", Some(&options.output))], [options.result.as_path()])?;
    let result = match read(&options.result) {
        Ok(result) => result,
        Err(message) => {
            let _ = stderr.write_all(message.as_bytes());
            return Ok(EXIT_INPUT);
        }
    };
    let page = html::page(&result);
    if options.output.as_os_str() == "-" {
        return Ok(cli::process::tell(stdout, &page, 0));
    }
    Ok(write(&options.output, &page, stderr))
}

/// Writes a page; the exit code.
fn write(file: &Path, page: &str, stderr: &mut Sink<'_>) -> i32 {
    match cli::write_atomically(file, page.as_bytes()) {
        Ok(()) => 0,
        Err(e) => {
            let _ = stderr.write_all(outputs::message(file, &e).as_bytes());
            EXIT_WRITE
        }
    }
}

/// The result, or a message with the place of what is wrong with it.
fn read(file: &Path) -> Result<Outcome, String> {
    let name = file.display().to_string();
    let name = base::shown(&name);
    let wrong = |what: &str| format!("{name}:1:1: {ERROR} {what}\n");
    let text = cli::inputs::text(file).map_err(|e| wrong(&e.to_string()))?;
    match results::read::<Form>(&text) {
        Ok(Form { tool, schema, .. }) if tool.name == "slam" => {
            match schema == Some(results::SCHEMA.into()) {
                true => Outcome::read(&text).map_err(|e| wrong(&e.to_string())),
                false => Err(wrong("this result has another form (`schema`)")),
            }
        }
        Err(Mistake::Syntax { line, column, why }) => {
            Err(format!("{name}:{line}:{column}: {ERROR} this is no JSON: {why}\n"))
        }
        _ => Err(wrong("this is no result of slam check --json")),
    }
}

/// Pages of all results below a folder, and one that leads to them.
fn folder(stderr: &mut Sink<'_>, options: &Report) -> Result<i32, Usage> {
    if options.output.as_os_str() == "-" {
        return Err(Usage::mistake("of a folder, -o says in which folder the pages go"));
    }
    let found = match jsons(&options.result) {
        Ok(found) => found,
        Err(e) => {
            let _ = writeln!(stderr, "{ERROR} {}: {e}", options.result.display());
            return Ok(EXIT_INPUT);
        }
    };
    if let Err(e) = std::fs::create_dir_all(&options.output) {
        let _ = stderr.write_all(outputs::message(&options.output, &e).as_bytes());
        return Ok(EXIT_WRITE);
    }
    let mut results = vec![];
    for file in &found {
        // One at a time: a result may be large.
        let result = match read(file) {
            Ok(result) => result,
            Err(message) => {
                let _ = write!(stderr, "{NOTE} left out: {message}");
                continue;
            }
        };
        let name = format!("{}.html", results.len() + 1);
        let code = write(&options.output.join(&name), &html::page(&result), stderr);
        if code != 0 {
            return Ok(code);
        }
        results.push((html::short(&result), name));
    }
    if results.is_empty() {
        let _ = writeln!(stderr, "{ERROR} {}: there is no result in this folder", options.result.display());
        return Ok(EXIT_INPUT);
    }
    Ok(write(&options.output.join("index.html"), &html::index(&results), stderr))
}

/// The files in `.json` below a folder, by name.
fn jsons(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut folders, mut found) = (vec![folder.to_owned()], vec![]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            match entry.file_type()? {
                kind if kind.is_dir() => folders.push(path),
                _ if path.extension().is_some_and(|e| e == "json") && path.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}
