//! Descriptions of environments: which functions are called, and when.

use base::{Diagnostic, SourceMap, Span};
use cfront::Environment;

/// Reads a description: lines `init: f, g`, `any: f, g` and `exit: f`, each as often as wanted; `#` begins a remark.
///
/// # Errors
/// What is wrong and where, as text.
pub fn parse(file: &str, text: &str) -> Result<Environment, String> {
    let mut sources = SourceMap::new();
    let id = sources.add(file, Some(text.into()));
    let mut out = Environment::default();
    for (n, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or_default();
        if code.trim().is_empty() {
            continue;
        }
        let start = code.len() - code.trim_start().len() + 1;
        let complain = |message: &str| {
            let span = Span::at(id, n as u32 + 1, start as u32);
            Diagnostic::error(span, message).styled(&sources)
        };
        let (when, functions) = code.split_once(':').ok_or_else(|| complain(EXPECTED))?;
        let list = match when.trim() {
            "init" => &mut out.init,
            "any" => &mut out.any,
            "exit" => &mut out.exit,
            _ => return Err(complain(EXPECTED)),
        };
        list.extend(
            names(functions).map_err(|wrong| complain(&format!("`{wrong}` is no name of a function")))?,
        );
    }
    if out.functions().next().is_none() {
        return Err(Diagnostic::error(Span::at(id, 1, 1), "no function is called").styled(&sources));
    }
    Ok(out)
}

const EXPECTED: &str = "expected `init: FUNCTION, ...`, `any: FUNCTION, ...` or `exit: FUNCTION, ...`";

/// The names in a list with commas.
///
/// # Errors
/// A part that is none.
pub fn names(list: &str) -> Result<Vec<String>, String> {
    let is_name = |word: &str| {
        let first = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        first && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    list.split(',')
        .map(str::trim)
        .map(|word| if is_name(word) { Ok(word.to_owned()) } else { Err(base::shown(word).to_string()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read_line_by_line() {
        let read = parse("e", "# a driver\ninit: probe\nany: read, write # often\nany: poll\nexit: remove\n");
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let expected = Environment {
            init: list(&["probe"]),
            any: list(&["read", "write", "poll"]),
            exit: list(&["remove"]),
        };
        assert_eq!(read, Ok(expected));
        let first = |text: &str| {
            let message = anstream::adapter::strip_str(&parse("e", text).unwrap_err()).to_string();
            message.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(first("init: a\n  start: b"), format!("e:2:3: error: {EXPECTED}"));
        assert_eq!(first("any: a b"), "e:1:1: error: `a b` is no name of a function");
        assert_eq!(first("# nothing"), "e:1:1: error: no function is called");
    }
}
