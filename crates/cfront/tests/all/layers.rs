//! The order of the folders: files name only what stands below them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders and files of the sources, from the lowest; those on one line may name each other. Everything else (`lib.rs`,
/// `load.rs` and so on) stands above.
const ORDER: [&[&str]; 6] =
    [&["error", "options"], &["text"], &["syntax"], &["types"], &["library", "lower"], &["harness"]];

/// The level of a folder, or of a file beside the folders.
fn level(module: &str) -> usize {
    ORDER.iter().position(|names| names.contains(&module)).unwrap_or(ORDER.len())
}

/// All source files below a folder.
fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the sources can be read").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            sources(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            out.push(entry);
        }
    }
}

/// The text without comments and literals.
fn code(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(['"', '/']) {
            let (before, behind) = rest.split_at(at);
            out.push_str(before);
            if behind.starts_with("//") {
                rest = "";
            } else if let Some(literal) = behind.strip_prefix('"') {
                let end = literal
                    .char_indices()
                    .scan(false, |escaped, (n, c)| {
                        let ends = c == '"' && !*escaped;
                        *escaped = c == '\\' && !*escaped;
                        Some((n, ends))
                    })
                    .find_map(|(n, ends)| ends.then_some(n + 1));
                rest = end.map_or("", |end| &literal[end..]);
            } else {
                out.push('/');
                rest = &behind[1..];
            }
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

/// The names at the beginning of paths behind `start`, those in braces included.
fn heads<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let word =
        |text: &'t str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let mut out = vec![];
    for (at, _) in text.match_indices(start) {
        let behind = &text[at + start.len()..];
        let Some(list) = behind.strip_prefix('{') else {
            out.push(word(behind));
            continue;
        };
        let (mut depth, mut from) = (0, 0);
        for (n, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    out.push(word(list[from..n].trim_start()));
                    from = n + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    out.retain(|name| !name.is_empty());
    out
}

/// The modules beside the folders that a file names: paths from the root, and those that `super` leads to from there.
fn named(file: &[String], text: &str) -> Vec<String> {
    let text = code(text);
    let mut out: Vec<String> = heads(&text, "crate::").into_iter().map(str::to_owned).collect();
    // A file is a module of its folder, `mod.rs` the folder itself.
    let depth = file.len() - usize::from(file.last().is_some_and(|name| name == "mod"));
    out.extend(heads(&text, &"super::".repeat(depth)).into_iter().map(str::to_owned));
    out
}

#[test]
fn folders_name_only_what_is_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&root, &mut files);
    let mut wrong = vec![];
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for file in &files {
        let inner = file.strip_prefix(&root).expect("the file lies in the folder").with_extension("");
        let path: Vec<String> = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let own = level(&path[0]);
        *seen.entry(own).or_default() += 1;
        let text = fs::read_to_string(file).expect("the file can be read");
        for name in named(&path, &text) {
            if own < ORDER.len() && name != "super" && level(&name) > own {
                wrong.push(format!("{} names crate::{name}, which stands above it", inner.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(seen.len(), ORDER.len() + 1, "every level has files: {seen:?}");
}

#[test]
fn paths_are_found() {
    let text = "use crate::lower::expr; // crate::load\nlet s = \"crate::harness\"; use crate::{text, types::{ty, table}};";
    assert_eq!(named(&["syntax".into(), "parse".into()], text), ["lower", "text", "types"]);
    assert_eq!(named(&["text".into(), "mod".into()], "use super::lower::expr;"), ["lower"]);
    assert_eq!(named(&["text".into(), "lex".into()], "use super::super::load;"), ["load"]);
}
