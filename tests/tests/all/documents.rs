//! The documents keep up with the code: every paper that a comment cites is listed in `docs/papers.md`, every page that
//! one cites is there, every link of a page leads to a file and a heading, and commands print what the pages say.

use std::fs;
use std::path::{Path, PathBuf};
use tests::{root, without_times};

/// All files of the project whose names end so.
pub(crate) fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the project can be listed") {
            let path = entry.expect("the project can be listed").path();
            let name = path.file_name().and_then(|n| n.to_str()).expect("names are UTF-8");
            if path.is_dir()
                && !name.starts_with('.')
                && !["target", "third_party", "node_modules"].contains(&name)
            {
                folders.push(path);
            } else if path.is_file() && name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
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

/// The relative links of a Markdown text: a file, which may be empty, and a heading in it.
fn links(text: &str) -> Vec<(&str, Option<&str>)> {
    text.match_indices("](")
        .map(|(at, _)| &text[at + 2..])
        .map(|rest| &rest[..rest.find(')').unwrap_or(rest.len())])
        .filter(|target| !target.contains("://"))
        .map(|target| target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading))))
        .collect()
}

/// The names by which the headings of a page are linked.
fn headings(text: &str) -> Vec<String> {
    let name = |line: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        line.trim_start_matches('#')
            .trim()
            .to_lowercase()
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    text.lines().filter(|line| line.starts_with('#')).map(name).collect()
}

/// The pages `docs/….md` that a text cites.
fn cited_pages(text: &str) -> Vec<&str> {
    let ends = |rest: &str| rest.find(|c: char| !(c.is_ascii_alphanumeric() || "/.-_".contains(c)));
    text.match_indices("docs/")
        .map(|(at, _)| &text[at..])
        .filter_map(|rest| rest[..ends(rest).unwrap_or(rest.len())].split_once(".md"))
        .map(|(page, _)| page)
        .collect()
}

#[test]
fn cited_papers_are_listed() {
    let papers = read(&root().join("docs/papers.md"));
    for file in files(".rs") {
        for tag in cited(&read(&file)) {
            assert!(
                papers.contains(&format!("[{tag}]")),
                "{} cites [{tag}]: not in docs/papers.md",
                file.display()
            );
        }
    }
}

#[test]
fn cited_pages_are_there() {
    for file in [".rs", ".sh", ".py", ".toml", "Makefile"].into_iter().flat_map(files) {
        for page in cited_pages(&read(&file)) {
            assert!(
                root().join(page).with_extension("md").exists(),
                "{} cites {page}.md, which is not there",
                file.display()
            );
        }
    }
}

#[test]
fn links_lead_somewhere() {
    for document in files(".md") {
        let text = read(&document);
        let folder = document.parent().unwrap_or(Path::new("."));
        for (file, heading) in links(&text) {
            let target = if file.is_empty() { document.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: the link to {file} is dead", document.display());
            if let Some(heading) = heading {
                let there = headings(&read(&target)).iter().any(|h| h == heading);
                assert!(there, "{}: {file} has no heading {heading}", document.display());
            }
        }
    }
}

/// No page is forgotten: the index, `docs/README.md`, leads to each.
#[test]
fn pages_are_in_the_index() {
    let docs = root().join("docs");
    let index = read(&docs.join("README.md"));
    for page in files(".md").iter().filter(|p| p.starts_with(&docs) && !p.ends_with("README.md")) {
        let listed = links(&index).iter().any(|(file, _)| docs.join(file) == *page);
        assert!(listed, "{} is not in docs/README.md", page.display());
    }
}

/// What stands between backquotes in a page, outside of blocks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("```").step_by(2);
    blocks.flat_map(|prose| prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)))
}

/// Whether it is meant as a file or a folder of the project.
fn is_path(words: &str, folders: &[String]) -> bool {
    let kept = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    let placeholder = |part: &str| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase());
    let parts: Vec<&str> = words.split(['/', '.']).collect();
    let first = words.split('/').next().unwrap_or_default();
    words.contains('/')
        && words.chars().all(kept)
        && !parts.iter().any(|part| placeholder(part))
        && (folders.iter().any(|folder| folder == first) || words.ends_with(".rs"))
}

/// The package and the last name of a path of Rust, such as `verify::cegar::Reason`.
fn rust_path(words: &str) -> Option<(&str, &str)> {
    let (package, rest) = words.split_once("::")?;
    let is_word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let last = rest.rsplit("::").next()?;
    (is_word(package) && rest.split("::").all(is_word)).then_some((package, last))
}

/// Files, folders and names of the code that pages mention exist.
#[test]
fn places_that_pages_name_are_there() {
    let sources = files(".rs");
    let inside = |path: &Path| path.strip_prefix(root()).expect("it lies there").display().to_string();
    let folders: Vec<String> = fs::read_dir(root())
        .expect("the project can be listed")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let of_package = |name: &str| {
        let below = [format!("crates/{name}/"), format!("{}/", if name == "slam" { "driver" } else { name })];
        let mine = sources.iter().filter(|path| below.iter().any(|folder| inside(path).starts_with(folder)));
        mine.map(|path| read(path)).collect::<Vec<String>>()
    };
    let mut missing = vec![];
    for page in files(".md").iter().filter(|page| !inside(page).starts_with("editors/")) {
        let text = read(page);
        for words in quoted(&text) {
            let there = if is_path(words, &folders) {
                let path = words.trim_end_matches('/');
                let ending = format!("/{path}");
                root().join(path).exists() || sources.iter().any(|s| inside(s).ends_with(&ending))
            } else if let Some((package, name)) = rust_path(words) {
                let code = of_package(package);
                let breaks = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
                code.is_empty() || code.iter().any(|text| text.split(breaks).any(|word| word == name))
            } else {
                true
            };
            if !there {
                missing.push(format!("{}: `{words}`", inside(page)));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn tags_are_recognised() {
    assert_eq!(cited("/// As in [BMMR01 §4.2], not [`Foo`] or [x86] or [a01];"), ["BMMR01"]);
    assert_eq!(links("a [b](c.md#d), [e](https://f), [g](#h)"), [("c.md", Some("d")), ("", Some("h"))]);
    assert_eq!(headings("# A `b`, c\ntext\n## D-e"), ["a-b-c", "d-e"]);
    assert_eq!(quoted("a `b/c.rs` d\n```\n`e`\n```\n`f`").collect::<Vec<_>>(), ["b/c.rs", "f"]);
    assert!(is_path("crates/x.rs", &["crates".into()]) && !is_path("a/b", &["crates".into()]));
    assert_eq!(rust_path("verify::cegar::Source"), Some(("verify", "Source")));
    assert_eq!(cited_pages("as docs/guide/c.md says (`docs/papers.md`)"), ["docs/guide/c", "docs/papers"]);
}

/// The commands of the documents print what the documents say. `BLESS=1` rewrites them. Where each change is tested,
/// `scripts/installed.py` runs them with installed tools instead, so that they are run once.
#[test]
fn commands_print_what_is_said() {
    let is_blessed = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    if !is_blessed && !testing::is_long() {
        return;
    }
    let mut executed = 0;
    for path in files(".md") {
        let text = read(&path);
        if !text.contains("```console\n") {
            continue;
        }
        executed += 1;
        let name = path.strip_prefix(root()).expect("it is a file of the workspace").display().to_string();
        let now = tests::console::refreshed(&text);
        if is_blessed {
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
