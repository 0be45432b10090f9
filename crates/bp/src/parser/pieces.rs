//! Parsing of a large text by several threads. It is cut behind lines that look like the end of a procedure, and each
//! piece is parsed as if it were a whole text.
//!
//! Invariant: the result is that of parsing the text as a whole. When all pieces are complete, and all but the
//! first consist of procedures, the cuts were between procedures: a parser that reaches a cut has decided
//! everything before it, and starts anew. Otherwise there is no result.

use super::program::Items;
use super::{Dialect, Parsed, Parser, STACK};
use crate::ast::{Proc, Stmt, StmtKind};
use crate::lexer::Lexer;
use base::{Diagnostic, FileId, Id};
use std::thread;

/// Bytes that are worth a thread.
const PIECE: usize = 128 << 10;

/// Most threads.
const MOST: usize = 8;

/// How many pieces a text is worth on this machine.
pub(super) fn wanted(text: &str) -> usize {
    match text.len() / PIECE {
        0 | 1 => 1,
        n => n.min(MOST).min(thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// The contents of one piece.
struct Piece {
    items: Items,
    warnings: Vec<Diagnostic>,
    /// How many statements it has.
    stmts: usize,
}

/// Parses the text in about `pieces` pieces; `None` if it cannot be cut, or if there is any error in it.
pub(super) fn parse(text: &str, file: FileId, dialect: Dialect, pieces: usize) -> Option<Parsed> {
    let cuts = cuts(text, pieces);
    if cuts.is_empty() {
        return None;
    }
    let mut line = 1;
    let mut from = 0;
    let mut lexers = vec![];
    for to in cuts.into_iter().chain([text.len()]) {
        let piece = &text[from..to];
        lexers.push(if from == 0 { Lexer::new(piece, file) } else { Lexer::from_line(piece, file, line) });
        if to < text.len() {
            line += lines(piece);
        }
        from = to;
    }
    let mut pieces = thread::scope(|scope| {
        let mut rest = lexers.split_off(1).into_iter();
        let spawn = |lexer| {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || piece(lexer, dialect))
        };
        let threads: Vec<_> = rest.by_ref().map(spawn).collect();
        let first = lexers.pop().and_then(|lexer| piece(lexer, dialect));
        let others = threads.into_iter().map(|thread| thread.ok()?.join().ok()?);
        std::iter::once(first).chain(others).collect::<Option<Vec<Piece>>>()
    })?
    .into_iter();
    let mut whole = pieces.next()?;
    for piece in pieces {
        append(&mut whole, piece)?;
    }
    Some((whole.items.complete(), whole.warnings))
}

/// How many lines end in the text.
fn lines(text: &str) -> u32 {
    // So few at a time that a byte can count them: then many are compared at once.
    let ends = |chunk: &[u8]| chunk.iter().map(|b| u8::from(*b == b'\n')).sum::<u8>();
    text.as_bytes().chunks(255).map(|chunk| u32::from(ends(chunk))).sum()
}

/// Where lines begin that follow an `end` at the beginning of a line, at about equal distances.
fn cuts(text: &str, pieces: usize) -> Vec<usize> {
    let mut cuts = vec![];
    for n in 1..pieces {
        let least = (text.len() / pieces * n).max(cuts.last().copied().unwrap_or(0));
        let Some(cut) = end_of_procedure(text, least) else { break };
        cuts.push(cut);
    }
    cuts
}

/// Where the line after the first such line from here on begins, unless the text ends there.
fn end_of_procedure(text: &str, from: usize) -> Option<usize> {
    const END: &[u8] = b"\nend";
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes[at..].windows(END.len()).position(|window| window == END)? + END.len();
        let rest = &bytes[at..];
        let line = rest.iter().position(|b| *b == b'\n')?;
        if rest[..line].iter().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b';')) {
            return Some(at + line + 1).filter(|cut| *cut < bytes.len());
        }
    }
}

fn piece(lexer: Lexer<'_>, dialect: Dialect) -> Option<Piece> {
    let mut parser = Parser::new(lexer, dialect);
    let items = parser.items();
    let items = parser.finish(items).ok()?;
    Some(Piece { items, warnings: parser.warnings, stmts: parser.ids.count() })
}

/// Adds a piece of nothing but procedures.
fn append(whole: &mut Piece, piece: Piece) -> Option<()> {
    let (program, mut more) = (&mut whole.items.program, piece.items.program);
    let others = more.globals.len() + more.init.len() + more.threads.len() + piece.items.initial.len();
    if others > 0 {
        return None;
    }
    program.footer.append(&mut more.header);
    if let Some(first) = more.procs.first_mut() {
        // Comments around a cut stand above the procedure that follows.
        first.above.splice(0..0, program.footer.drain(..));
    }
    program.footer.append(&mut more.footer);
    more.procs.iter_mut().for_each(|proc| shift(proc, whole.stmts));
    program.procs.append(&mut more.procs);
    whole.warnings.extend(piece.warnings);
    whole.stmts += piece.stmts;
    Some(())
}

/// Adds to the ids of all statements.
fn shift(proc: &mut Proc, by: usize) {
    let mut stack = vec![proc.body.iter_mut()];
    while let Some(list) = stack.last_mut() {
        let Some(stmt) = list.next() else {
            stack.pop();
            continue;
        };
        let Stmt { id, kind, .. } = stmt;
        *id = Id::from_index(id.index() + by);
        match kind {
            StmtKind::If { arms, otherwise } => {
                stack
                    .extend(arms.iter_mut().map(|(_, block)| block.iter_mut()).chain([otherwise.iter_mut()]));
            }
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => stack.push(body.iter_mut()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print;
    use crate::random::{Choices, Shape, program};
    use proptest::prelude::*;

    /// Parses the text in `pieces` pieces and compares the result with that of the whole text, places and ids
    /// included.
    fn in_pieces(text: &str, pieces: usize) -> Option<Parsed> {
        let file = FileId::from_index(0);
        let found = parse(text, file, Dialect::Strict, pieces)?;
        let mut whole = Parser::new(Lexer::new(text, file), Dialect::Strict);
        let expected = whole.program();
        let expected = whole.finish(expected).expect("what can be read in pieces can be read in one go");
        assert_eq!(format!("{:#?}", found.0), format!("{expected:#?}"), "{text}");
        assert_eq!(found.1, whole.warnings);
        Some(found)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_result_is_that_of_one_go(numbers in prop::collection::vec(any::<u16>(), 100..300), pieces in 2..5usize) {
            let mut p = program(&mut Choices::new(&numbers), Shape { stmts: 6, depth: 3, ..Shape::default() });
            for (i, proc) in p.procs.iter_mut().enumerate().filter(|(i, _)| i % 2 == 1) {
                proc.above = vec![format!("number {i}"), "end".into()];
            }
            let found = in_pieces(&print(&p), pieces);
            prop_assert_eq!(found.is_some(), !cuts(&print(&p), pieces).is_empty());
        }
    }

    /// Text around a cut may belong to what follows, or show that it was not the end of a procedure.
    #[test]
    fn cuts_are_between_procedures_or_nothing_is_said() {
        let f = "f() begin skip; // beside\nend";
        let g = "dfs g() begin L: if (*) then skip; fi // last\nend";
        let taken = [
            format!("decl a;\n{f}\n{g}\n"),
            format!("{f} ; \n// above\n// above, too\n{g}\n// at the end\n"),
            format!("{f}\n\n;;/* above\n more */ {g}\n{f}\n"),
            format!("// head\n{f}\n{g}\nend_of_names() begin skip;\nend\n"),
        ];
        let somehow = |text: &String| (2..9).any(|pieces| in_pieces(text, pieces).is_some());
        for text in &taken {
            assert!(somehow(text), "{text}");
        }
        let not_taken = [
            format!("{f} {g}"),
            format!("{f}\ndecl a;\n"),
            format!("{f}\ninit begin skip; end"),
            format!("{f}\n\u{feff}{g}\n"),
            format!("/*\nend\n*/\n{g}"),
            "f() begin a := {x\nend\n};\nend\n".to_owned(),
            "thread t begin main() begin skip;\nend\nend\n".to_owned(),
            format!("{f}\n{f} end\n"),
        ];
        for text in &not_taken {
            assert!(!somehow(text), "{text}");
        }
    }

    #[test]
    fn lines_are_counted() {
        for n in [0, 1, 254, 255, 256, 1000] {
            assert_eq!(lines(&"\n".repeat(n)), n as u32);
            assert_eq!(lines(&"a\n".repeat(n)), n as u32);
        }
    }
}
