//! The arguments for the compiler.
//!
//! Invariant: a name or a macro is data. No argument made here can be taken for another option than the one
//! meant, nor for a file of options (`@FILE`), whatever the name or the text is.

use crate::options::{MOST_THREADS, Options};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The options of the compiler for directories, macros and files to include first.
///
/// # Errors
/// What is wrong with a macro or a name, in words.
pub fn compiler_options(options: &Options) -> Result<Vec<OsString>, String> {
    mistakes(options)?;
    let joined = |flag: &str, value: OsString| {
        let mut argument = OsString::from(flag);
        argument.push(value);
        argument
    };
    let mut out: Vec<OsString> = vec![];
    out.extend(options.defines.iter().map(|d| joined("-D", d.into())));
    out.extend(options.undefs.iter().map(|u| joined("-U", u.into())));
    out.extend(options.include_dirs.iter().map(|dir| joined("-I", file_argument(dir).into())));
    for file in &options.includes {
        out.extend(["-include".into(), file_argument(file).into()]);
    }
    Ok(out)
}

/// Checks what [`compiler_options`] is made from, and the bounds.
///
/// # Errors
/// What is wrong with a macro, a name or a number, in words.
pub fn mistakes(options: &Options) -> Result<(), String> {
    let wrong_define = options.defines.iter().find(|d| !is_definition(d));
    let wrong_undef = options.undefs.iter().find(|u| !is_identifier(u));
    let files = options.include_dirs.iter().chain(&options.includes).chain(&options.models);
    let nameless = files.into_iter().any(|file| file.as_os_str().is_empty());
    match (wrong_define, wrong_undef) {
        (Some(text), _) => Err(format!("-D {text:?}: this is no NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE")),
        (_, Some(text)) => Err(format!("-U {text:?}: this is no name of a macro")),
        _ if nameless => Err("a file or folder without a name".into()),
        _ if !(1..=MOST_THREADS).contains(&options.max_threads) => {
            Err(format!("--max-threads {}: this is no number from 1 to {MOST_THREADS}", options.max_threads))
        }
        _ => Ok(()),
    }
}

/// A file's name as an argument: one that begins with a sign other than a letter, a digit, `_`, `.` or `/` is written
/// `./NAME`.
pub fn file_argument(path: &Path) -> PathBuf {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"_./".contains(b);
    let first = path.as_os_str().as_encoded_bytes().first();
    if first.is_some_and(plain) { path.to_owned() } else { Path::new(".").join(path) }
}

/// Whether it is an identifier of C.
pub fn is_identifier(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether it defines a macro: in one line, with an identifier as its name.
fn is_definition(text: &str) -> bool {
    let head = text.split_once('=').map_or(text, |(head, _)| head);
    let (name, parameters) = match head.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')')),
        None => (head, Some("")),
    };
    let is_parameter = |p: &str| matches!(p, "" | "...") || is_identifier(p.trim_end_matches("..."));
    let one_line = !text.contains(['\n', '\r', '\0']);
    one_line
        && is_identifier(name)
        && parameters.is_some_and(|p| p.split(',').all(|p| is_parameter(p.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_options() {
        let as_text = |name: &str| file_argument(Path::new(name)).to_str().map(str::to_owned);
        for name in ["@evil.rsp", "-fplugin=evil.so", "-", "=sysroot", " blank", "$HOME"] {
            assert_eq!(as_text(name), Some(format!("./{name}")));
        }
        for name in ["a.c", "../b.h", "/usr/include", "_x", "7", "."] {
            assert_eq!(as_text(name).as_deref(), Some(name));
        }
    }

    #[test]
    fn macros_have_a_form() {
        for good in ["A", "A=", "A=1 + (2)", "_f(x, y)=x=y", "va(a, ...)=0", "va(a...)=1", "f()=@x"] {
            assert!(is_definition(good), "{good}");
        }
        for bad in
            ["", "=1", "1A", "@x", "A B", "A-1", "A(x=1", "A(1)=2", "A=1\n#include <stdio.h>", "A)=1", "é"]
        {
            assert!(!is_definition(bad), "{bad}");
        }
        assert!(!is_identifier("A=1") && !is_identifier("") && is_identifier("_0"));
    }

    #[test]
    fn each_option_is_one_argument() {
        let options = Options {
            include_dirs: vec!["@dir".into()],
            defines: vec!["A=@x -wrapper".into()],
            undefs: vec!["B".into()],
            includes: vec!["-wrapper".into()],
            ..Options::default()
        };
        let expected = ["-DA=@x -wrapper", "-UB", "-I./@dir", "-include", "./-wrapper"];
        assert_eq!(compiler_options(&options).expect("well-formed"), expected);
        let wrong = Options { undefs: vec!["-fplugin=x".into()], ..Options::default() };
        assert!(compiler_options(&wrong).is_err());
        assert!(compiler_options(&Options { includes: vec!["".into()], ..Options::default() }).is_err());
    }
}
