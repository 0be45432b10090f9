//! Plain words: doc comments, pages and help texts do without the private words that the project once had, so that who knows the
//! field reads them without a dictionary. The list is that of the words that were replaced; `docs/glossary.md` has the field's terms.

use crate::documents::{files, read};
use std::process::Command;

/// What is not said, with what is said instead.
const PRIVATE: [(&str, &str); 18] = [
    ("so many", "at most n, this many"),
    ("told", "reported, determined"),
    ("tells", "reports, says"),
    ("come to", "reach"),
    ("comes to", "reaches"),
    ("came to", "reached"),
    ("speak of", "mention"),
    ("speaks of", "mentions"),
    ("looked at", "analysed, examined"),
    ("rests on", "depends on"),
    ("in vain", "without result"),
    ("gone around", "avoided"),
    ("for who", "for those who"),
    ("who wants", "users who want"),
    ("what is no", "what is not a"),
    ("has a turn", "runs"),
    ("spare", "on demand"),
    ("by its look", "by its syntax"),
];

/// The private words in a text, as whole words in any case, also where a line ends between them, but not where a sentence does.
fn private(text: &str) -> Vec<&'static str> {
    let words: Vec<String> = text
        .replace(['.', ':', ';', '|', '-', '('], " . ")
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_' || c == '.'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let plain = format!(" {} ", words.join(" "));
    PRIVATE.iter().map(|(word, _)| *word).filter(|word| plain.contains(&format!(" {word} "))).collect()
}

/// The doc comments of a Rust file, each as one text with the line that it begins on.
fn doc_comments(source: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = vec![];
    let mut before = false;
    for (n, line) in source.lines().enumerate() {
        let text = line.trim_start();
        let doc = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
        match (doc, found.last_mut()) {
            (Some(doc), Some((_, last))) if before => *last += &format!("\n{doc}"),
            (Some(doc), _) => found.push((n + 1, doc.to_owned())),
            (None, _) => {}
        }
        before = doc.is_some();
    }
    found
}

/// A page without its blocks and without what stands between backquotes.
fn prose(page: &str) -> String {
    let outside = page.split("```").step_by(2).collect::<Vec<_>>().join("\n");
    outside.split('`').step_by(2).collect::<Vec<_>>().join(" x ")
}

fn report(found: &[String]) {
    let instead: Vec<String> = PRIVATE.iter().map(|(word, plain)| format!("{word}: {plain}")).collect();
    assert!(found.is_empty(), "private words:\n{}\ninstead: {}", found.join("\n"), instead.join("; "));
}

#[test]
fn doc_comments_have_plain_words() {
    let mut found = vec![];
    for file in files(".rs").iter().filter(|file| !file.ends_with("tests/tests/all/words.rs")) {
        for (line, text) in doc_comments(&read(file)) {
            found.extend(
                private(&prose(&text)).iter().map(|word| format!("{}:{line}: {word}", file.display())),
            );
        }
    }
    report(&found);
}

#[test]
fn pages_have_plain_words() {
    let mut found = vec![];
    for file in files(".md") {
        found.extend(private(&prose(&read(&file))).iter().map(|word| format!("{}: {word}", file.display())));
    }
    report(&found);
}

#[test]
fn help_has_plain_words() {
    let help = |tool: &str, args: &[&str]| {
        let binary = tests::program(tool);
        let output = Command::new(binary).args(args).arg("--help").output().expect("it is built");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let commands = [
        "check",
        "batch",
        "certify",
        "replay",
        "report",
        "lsp",
        "cmm",
        "harness",
        "cfg",
        "points-to",
        "nullness",
        "dataflow",
        "run",
        "rules",
    ];
    let of_slam = commands.map(|command| (format!("slam {command}"), help("slam", &[command])));
    let tools =
        ["slam", "c2bp", "bebop", "getafix", "newton", "zing"].map(|tool| (tool.to_owned(), help(tool, &[])));
    let mut found = vec![];
    for (name, text) in of_slam.into_iter().chain(tools) {
        assert!(text.contains("Usage:"), "{name}: {text}");
        found.extend(private(&text).iter().map(|word| format!("{name} --help: {word}")));
    }
    report(&found);
}

#[test]
fn words_are_found() {
    assert_eq!(private("It is Told, so\nmany times; untold. So. Many."), ["so many", "told"]);
    assert_eq!(
        doc_comments("/// a\n/// b\nfn x() {}\n//! c"),
        [(1, " a\n b".to_owned()), (4, " c".to_owned())]
    );
    assert_eq!(private(&prose("a `told` b\n```\ntold\n```\nc")), [""; 0]);
}
