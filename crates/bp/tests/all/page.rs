//! The programs on the page about the language are what the page says they are.

use base::{Diagnostic, FileId, Id};
use bp::{Cfg, Dialect, Program, check, parse, print};

/// The blocks of the page whose first line is this, each with its line number.
fn blocks(kind: &str) -> Vec<(usize, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/boolean-programs.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let mut out = vec![];
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        if head == kind {
            out.push((number + 1, block.join("\n") + "\n"));
        }
    }
    out
}

fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let (program, _) = parse(text, FileId::from_index(0), Dialect::Strict)?;
    check(&program, None)?;
    Ok(program)
}

#[test]
fn programs_are_accepted() {
    let blocks = blocks("bp");
    assert!(blocks.len() >= 4, "the page has examples");
    for (line, text) in blocks {
        let program = read(&text).unwrap_or_else(|errors| panic!("line {line} of the page: {errors:?}"));
        Cfg::build(&program, None).unwrap_or_else(|errors| panic!("line {line} of the page: {errors:?}"));
    }
}

#[test]
fn dialects_mean_what_stands_beside_them() {
    let blocks = blocks("bp");
    let dialect =
        blocks.iter().position(|(_, text)| text.contains("schoose")).expect("the page has dialects");
    let program = read(&blocks[dialect].1).expect("it is accepted");
    let canonical = read(&blocks[dialect + 1].1).expect("it is accepted");
    assert_eq!(print(&program), print(&canonical));
}

#[test]
fn canonical_programs_are_canonical() {
    for (line, text) in blocks("bp").into_iter().filter(|(_, text)| text.contains("init begin")) {
        let printed = print(&read(&text).expect("it is accepted"));
        assert_eq!(printed.replace(' ', ""), text.replace(' ', ""), "line {line} of the page");
    }
}

#[test]
fn concurrent_programs_are_checked_and_not_lowered() {
    let blocks = blocks("bp concurrent");
    assert!(blocks.len() >= 3, "the page has examples");
    for (line, text) in blocks {
        let program = read(&text).unwrap_or_else(|errors| panic!("line {line} of the page: {errors:?}"));
        assert!(
            program.concurrent().is_some() && Cfg::build(&program, None).is_err(),
            "line {line} of the page"
        );
    }
}

#[test]
fn wrong_programs_are_refused() {
    let blocks = blocks("bp wrong");
    assert!(blocks.len() >= 2, "the page has examples");
    for (line, text) in blocks {
        assert!(read(&text).is_err(), "line {line} of the page");
    }
}
