//! The documents keep up with the code: every paper that a comment cites is listed in `docs/papers.md`, and every
//! relative link of a document leads to a file that is there.

use std::fs;
use std::path::{Path, PathBuf};
use tests::{root, without_times};

/// All files with this extension in the folders of the project's own text.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["bebop", "c2bp", "crates", "docs", "driver", "getafix", "interleave", "newton", "tests", "zing"]
            .iter()
            .map(|f| root().join(f))
            .collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("the sources can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The tag at the start of the text: capital letters, maybe small ones, then two digits, as in `BMMR01` or `Das00`.
fn tag(text: &str) -> Option<&str> {
    let letters = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let tag = text.get(..letters + 2)?;
    let ends = text[letters + 2..].starts_with([' ', ']', ',', ';']);
    let is_tag = text.starts_with(|c: char| c.is_ascii_uppercase())
        && letters >= 2
        && tag[letters..].chars().all(|c| c.is_ascii_digit());
    (is_tag && ends).then_some(tag)
}

/// The tags cited in the comments of a Rust file.
fn cited(source: &str) -> Vec<&str> {
    let comments = source.lines().filter_map(|line| line.find("//").map(|at| &line[at..]));
    comments
        .flat_map(|c| c.match_indices('[').filter_map(|(at, _)| tag(&c[at + 1..])).collect::<Vec<_>>())
        .collect()
}

/// The targets of the relative links of a Markdown text.
fn links(text: &str) -> Vec<&str> {
    let ends = |rest: &'_ str| rest.find(')').unwrap_or(rest.len());
    text.match_indices("](")
        .map(|(at, _)| &text[at + 2..])
        .map(|rest| &rest[..ends(rest)])
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target))
        .collect()
}

#[test]
fn cited_papers_are_listed() {
    let papers = fs::read_to_string(root().join("docs/papers.md")).expect("docs/papers.md is there");
    for file in files("rs") {
        let source = fs::read_to_string(&file).expect("sources are text");
        for tag in cited(&source) {
            assert!(
                papers.contains(&format!("[{tag}]")),
                "{} cites [{tag}]: not in docs/papers.md",
                file.display()
            );
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let mut documents = files("md");
    documents.push(root().join("README.md"));
    for document in documents {
        let text = fs::read_to_string(&document).expect("documents are text");
        let folder = document.parent().unwrap_or(Path::new("."));
        for target in links(&text) {
            assert!(folder.join(target).exists(), "{}: the link to {target} is dead", document.display());
        }
    }
}

#[test]
fn tags_are_recognised() {
    assert_eq!(cited("/// As in [BMMR01 §4.2], not [`Foo`] or [x86] or [a01];"), ["BMMR01"]);
    assert_eq!(links("a [b](c.md#d), [e](https://f), [g](#h)"), ["c.md"]);
}

/// The commands of the documents print what the documents say. `BLESS=1` rewrites them.
#[test]
fn commands_print_what_is_said() {
    let mut executed = 0;
    for path in files("md").into_iter().chain([root().join("README.md")]) {
        let text = fs::read_to_string(&path).expect("documents are text");
        if !text.contains("```console\n") {
            continue;
        }
        executed += 1;
        let name = path.strip_prefix(root()).expect("it is a file of the workspace").display().to_string();
        let scratch =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("console-{}", name.replace('/', "-")));
        let now = tests::console::refreshed(&text, &scratch);
        if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
            fs::write(&path, &now).expect("a document can be written");
            continue;
        }
        // Only the README shows times.
        let (text, now) =
            if name == "README.md" { (without_times(&text), without_times(&now)) } else { (text, now) };
        let differing = text.lines().zip(now.lines()).find(|(a, b)| a != b);
        assert!(text == now, "{name} is out of date (BLESS=1 rewrites it): {differing:?}");
    }
    assert!(executed >= 6, "{executed} documents have commands");
}
