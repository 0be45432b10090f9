//! The outputs on every example: what is printed parses back to the program, and the dot output is what Graphviz's
//! grammar takes, down to the quoting.

use super::{cfg, points_to};
use alias::{AliasMode, AliasOracle};
use cfront::Frontend;
use expect_test::expect;
use ir::Program;
use std::path::{Path, PathBuf};

/// The examples and the programs of the front end's tests, as the front end gives them.
fn programs() -> Vec<(PathBuf, Frontend)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace");
    let folder = std::fs::read_dir(root.join("examples")).expect("there are examples");
    let mut files: Vec<PathBuf> = folder.map(|f| f.expect("a folder can be read").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    let load = |file: PathBuf| {
        let front = cfront::load(std::slice::from_ref(&file), &cfront::Options::default())
            .unwrap_or_else(|e| panic!("{}: {:?}", file.display(), e.diagnostics));
        (file, front)
    };
    files.into_iter().map(load).collect()
}

fn program(text: &str) -> Program {
    ir::parse::program(text).unwrap_or_else(|d| panic!("{} in\n{text}", d.message))
}

/// A statement of the dot language, as far as we write it: `node [a=b, …];`, `a -> b [..];`, `a=b;`, blocks.
fn check_dot(text: &str) -> Result<(), String> {
    let tokens = dot_tokens(text)?;
    let mut depth = 0;
    let mut at = 0;
    let word = |t: Option<&String>| t.is_some_and(|t| t.starts_with('"') || t.chars().all(is_word));
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "}" => {
                depth -= 1;
                at += 1;
            }
            "digraph" | "subgraph" if tokens.get(at + 2).is_some_and(|t| t == "{") => {
                depth += 1;
                at += 3;
            }
            _ => {
                let statement: Vec<&String> = tokens[at..].iter().take_while(|t| *t != ";").collect();
                at += statement.len() + 1;
                let plain: Vec<&str> =
                    statement.iter().map(|t| if word(Some(t)) { "w" } else { t.as_str() }).collect();
                let text = plain.join(" ");
                let head = text.split(" [").next().unwrap_or_default();
                let attributes = text.strip_prefix(head).unwrap_or_default();
                let good = ["w", "w -> w", "w = w"].contains(&head)
                    && (attributes.is_empty()
                        || attributes
                            .trim_start_matches(" [")
                            .trim_end_matches(']')
                            .split(',')
                            .all(|a| a.trim() == "w = w"));
                if !good {
                    return Err(format!("no statement of dot: {statement:?}"));
                }
            }
        }
    }
    if depth == 0 { Ok(()) } else { Err("braces do not match".into()) }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn dot_tokens(text: &str) -> Result<Vec<String>, String> {
    let mut out = vec![];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut token = c.to_string();
        match c {
            '"' => loop {
                let c = rest.next().ok_or("a quotation is not closed")?;
                token.push(c);
                match c {
                    '\\' => token.push(rest.next().ok_or("a quotation is not closed")?),
                    '"' => break,
                    '\n' => return Err(format!("a line ends inside {token}")),
                    _ => {}
                }
            },
            '-' if rest.next_if_eq(&'>').is_some() => token.push('>'),
            '{' | '}' | '[' | ']' | ';' | ',' | '=' => {}
            c if c.is_whitespace() => continue,
            c if is_word(c) => {
                while let Some(c) = rest.next_if(|c| is_word(*c)) {
                    token.push(c);
                }
            }
            c => return Err(format!("{c:?} outside of a quotation")),
        }
        out.push(token);
    }
    Ok(out)
}

#[test]
fn the_dot_checker_sees_mistakes() {
    assert_eq!(check_dot("digraph g { a -> \"b \\\" c\" [label=\"x\\ny\", w=1]; }"), Ok(()));
    for bad in
        ["digraph g { a -> b \"c\"; }", "digraph g { a -> \"b\"c\"; }", "digraph g { a.b; }", "digraph g {"]
    {
        assert!(check_dot(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_example_is_shown() {
    for (file, front) in programs() {
        let name = file.display();
        let text = ir::print::program(&front.program, None);
        let mut back = ir::parse::program(&text).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        let mut first = front.program.clone();
        ir::parse::erase_spans(&mut first);
        ir::parse::erase_spans(&mut back);
        assert!(first == back, "{name} does not parse back:\n{text}");
        check_dot(&cfg::dot(&front.program)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!cfg::text(&front.program, &front.sources).is_empty());
        for mode in [AliasMode::None, AliasMode::Das, AliasMode::Andersen] {
            let oracle = AliasOracle::new(&front.program, mode);
            check_dot(&points_to::dot(&front.program, &oracle)).unwrap_or_else(|e| panic!("{name}: {e}"));
            points_to::text(&front.program, &oracle, &front.sources);
        }
    }
}

#[test]
fn quotes_in_statements_are_escaped() {
    let p = program(
        "model LP64; entry main; global char c; global char text[4] = \"a\\\"b\";
         proc void main() { entry L0; exit L1; L0: c = text[1]; goto L1; L1: }",
    );
    check_dot(&cfg::dot(&p)).expect("dot takes it");
}

#[test]
fn points_to_says_what_and_why() {
    let p = program(
        "model LP64; entry main; struct s { int v; struct s *next; };
         global struct s g; global int x; global int (*fp)(int); global struct s *held;
         extern struct s *outside(int *);
         proc int one(int a) { return int ret__; entry L0; exit L1; L0: ret__ = a; goto L1; L1: }
         proc void main() { local struct s *p; local struct s *q; local char *c; local int r; entry L0; exit L9;
         L0: fp = &one; goto L1;
         L1: r = (*fp)(1); goto L2;
         L2: p = alloc(16L); goto L3;
         L3: p->next = &g; goto L4;
         L4: q = outside(&x); goto L5;
         L5: q->v = 1; goto L6;
         L6: c = (char *)&held; goto L7;
         L7: *c = 'a'; goto L8;
         L8: held = p; goto L9;
         L9: }",
    );
    let oracle = AliasOracle::new(&p, AliasMode::Das);
    let mut sources = base::SourceMap::new();
    sources.add("p.cmm", None);
    let text = points_to::text(&p, &oracle, &sources);
    expect![[r#"
        globals
          fp -> {one()}
          held -> {heap main:e2}
        main (p.cmm:5)
          p -> {heap main:e2}
          q -> {unknown}
          c -> {held}
        allocated memory
          heap main:e2.next -> {g}
        calls through pointers
          p.cmm:7: main calls one through fp
        allocations
          heap main:e2: p.cmm:8, 16 bytes, used as struct s
        memory regions
          m0 (not modelled): held
          m8 (struct s *): heap main:e2.next
          and 7 variables and members that no pointer reaches, each by itself
        pointers of unknown origin that are followed
          p.cmm:11: q in main
        what undefined functions can get at
          x: passed at p.cmm:10
        objects without their layout
          held: since p.cmm:13 in main
    "#]]
    .assert_eq(&text);
}
