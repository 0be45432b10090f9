//! Commands in documents, with what they print: blocks marked `console`, commands after `$ `.
//!
//! A command is a tool of the workspace, `cat FILE`, or `echo 'TEXT' > FILE`; several are joined by `&&`. Files in `out/`
//! lie in a scratch folder of the document. A line `…` in the output of a command stands for any lines.

use crate::{Run, binary, slam};
use std::fs;
use std::path::Path;
use testing::Scratch;

/// Runs the commands of a document, in order, and gives the document with what they print now. Where the document
/// has `…`, the lines that it stands for are not written out.
///
/// # Panics
/// If a command is of another kind, or a file cannot be written.
pub fn refreshed(document: &str) -> String {
    let scratch = Scratch::new();
    let mut out = String::new();
    let mut lines = document.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line.starts_with("```") {
            inside = line == "```console";
        }
        if !inside {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            let mut expected = vec![];
            while let Some(next) = lines.next_if(|l| !l.starts_with("$ ") && !l.starts_with("```")) {
                expected.push(next);
            }
            let printed = run(command, scratch.path());
            out.push_str(&abridged(&printed, &expected));
        }
    }
    out
}

/// What the commands print, up to the first one with an exit code other than 0.
fn run(commands: &str, scratch: &Path) -> String {
    let mut out = String::new();
    for command in commands.split(" && ") {
        let (printed, code) = run_one(command, scratch);
        out.push_str(&printed);
        if code != 0 {
            break;
        }
    }
    out
}

/// What the command prints, and its exit code.
fn run_one(command: &str, scratch: &Path) -> (String, i32) {
    let folder = testing::text(scratch);
    if let Some(text) = command.strip_prefix("echo '") {
        let (text, file) = text.split_once("' > out/").expect("echo writes to a file in out/");
        fs::write(scratch.join(file), format!("{text}\n")).expect("a scratch file can be written");
        return (String::new(), 0);
    }
    let words: Vec<String> = command
        .split(' ')
        .map(|word| match word.strip_prefix("out/") {
            Some(file) => format!("{folder}/{file}"),
            None => word.replace("=out/", &format!("={folder}/")),
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Run { stdout, stderr, code, .. } = match words.as_slice() {
        ["cat", file] => return (fs::read_to_string(file).expect("cat reads a file that is there"), 0),
        ["slam", args @ ..] => slam(args),
        [tool @ ("c2bp" | "bebop" | "getafix" | "newton" | "zing"), args @ ..] => binary(tool, args),
        _ => panic!("`{command}` is no command of a document"),
    };
    ((stderr + &stdout).replace(&format!("{folder}/"), "out/"), code)
}

/// The text, with `…` for the lines for which `expected` has it, if the rest of it is found in the text.
fn abridged(text: &str, expected: &[&str]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    let parts: Vec<&[&str]> = expected.split(|l| *l == "…").collect();
    for (i, part) in parts.iter().enumerate() {
        let ends = i + 1 == parts.len();
        let found = (at..=lines.len()).find(|from| {
            let fits = lines[*from..].starts_with(part);
            fits && (i > 0 || *from == at) && (!ends || from + part.len() == lines.len() || part.is_empty())
        });
        match found {
            Some(from) => at = from + part.len(),
            None => return lines.iter().map(|l| format!("{l}\n")).collect(),
        }
    }
    let all_told = parts.last().is_some_and(|part| part.is_empty() && parts.len() > 1) || at == lines.len();
    let shown: Vec<&str> = if all_told { expected.to_vec() } else { lines };
    shown.iter().map(|l| format!("{l}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::abridged;

    #[test]
    fn dots_stand_for_lines() {
        let text = "a\nb\nc\nd\n";
        let kept = |expected: &[&str]| abridged(text, expected) != text || expected == ["a", "b", "c", "d"];
        assert!(kept(&["…"]) && kept(&["…", "d"]) && kept(&["a", "…"]) && kept(&["a", "…", "c", "…"]));
        assert!(kept(&["…", "b", "c", "d"]) && kept(&["a", "b", "c", "d"]));
        assert!(
            !kept(&["…", "c"])
                && !kept(&["b", "…"])
                && !kept(&["a", "…", "x"])
                && !kept(&[])
                && !kept(&["a"])
        );
        assert_eq!(abridged("", &[]), "");
    }
}
