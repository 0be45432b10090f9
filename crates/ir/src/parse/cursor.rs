//! A position in the tokens, and the names that expressions may use.

use super::error::{Error, ErrorKind};
use super::lexer::Token;
use crate::program::{ProcId, Program, VarId};
use crate::types::RecordId;
use base::{Id, IndexVec, Span};
use rustc_hash::FxHashMap;

pub(super) type Parsed<T> = Result<T, Error>;

/// How deep expressions and declarators may be nested: what the front end admits.
const MAX_DEPTH: u32 = 4_000;

/// Names of a program; look-ups only.
#[derive(Default)]
pub(super) struct Names {
    pub(super) vars: FxHashMap<(Option<ProcId>, String), VarId>,
    pub(super) procs: FxHashMap<String, ProcId>,
    pub(super) records: FxHashMap<String, RecordId>,
}

impl Names {
    pub(super) fn of(program: &Program) -> Names {
        let mut names = Names::default();
        for (v, var) in program.vars.iter_enumerated() {
            names.vars.insert((var.proc(), var.name.clone()), v);
        }
        for (p, proc) in program.procs.iter_enumerated() {
            names.procs.insert(proc.name.clone(), p);
        }
        for (r, record) in program.records.iter_enumerated() {
            names.records.insert(record.name.clone(), r);
        }
        names
    }

    /// The variable that the name means in the procedure.
    pub(super) fn var(&self, scope: Option<ProcId>, name: &str) -> Option<VarId> {
        let key = (scope, name.to_owned());
        self.vars.get(&key).or_else(|| self.vars.get(&(None, key.1))).copied()
    }
}

/// A position in the tokens.
pub(super) struct Cursor<'a> {
    pub(super) tokens: &'a [(Token, Span)],
    pub(super) at: usize,
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [(Token, Span)]) -> Cursor<'a> {
        Cursor { tokens, at: 0, depth: 0 }
    }

    pub(super) fn peek(&self) -> &'a Token {
        self.peek_at(0)
    }

    /// The token `n` places ahead; the last one beyond the end.
    pub(super) fn peek_at(&self, n: usize) -> &'a Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// From the token at index `start` to the last one taken.
    pub(super) fn span_from(&self, start: usize) -> Span {
        self.tokens[start].1.to(self.tokens[self.at.saturating_sub(1).max(start)].1)
    }

    pub(super) fn next(&mut self) -> &'a Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_of(ErrorKind::Syntax, message)
    }

    pub(super) fn error_of<T>(&self, kind: ErrorKind, message: impl Into<String>) -> Parsed<T> {
        Err(Error { kind, span: Some(self.span()), message: message.into() })
    }

    pub(super) fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(m) if *m == mark)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    pub(super) fn accept(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.accept(mark) { Ok(()) } else { self.error(format!("expected '{mark}'")) }
    }

    pub(super) fn word(&mut self, what: &str) -> Parsed<&'a str> {
        match self.peek() {
            Token::Word(w) => {
                self.next();
                Ok(w)
            }
            _ => self.error(format!("expected {what}")),
        }
    }

    pub(super) fn number(&mut self, what: &str) -> Parsed<u64> {
        match self.peek() {
            Token::Integer(n, ..) if u64::try_from(*n).is_ok() => {
                self.next();
                Ok(*n as u64)
            }
            _ => self.error(format!("expected {what}")),
        }
    }

    pub(super) fn text(&mut self, what: &str) -> Parsed<&'a [u8]> {
        match self.peek() {
            Token::Text(bytes) => {
                self.next();
                Ok(bytes)
            }
            _ => self.error(format!("expected {what}")),
        }
    }

    /// An id as its `Display` writes it: `prefix` and a number.
    pub(super) fn id<I: Id>(&mut self, prefix: &str, what: &str) -> Parsed<I> {
        match self.peek() {
            Token::Word(w) => match numbered(w, prefix) {
                Some(n) => {
                    self.next();
                    Ok(I::from_index(n))
                }
                None => self.error(format!("expected {what}")),
            },
            _ => self.error(format!("expected {what}")),
        }
    }

    /// Counts one more link of a chain that makes a deep tree; an error when it is too long.
    pub(super) fn bounded(&self, length: &mut u32) -> Parsed<()> {
        *length += 1;
        if *length > MAX_DEPTH { self.error(format!("more than {MAX_DEPTH} parts in a row")) } else { Ok(()) }
    }

    /// Runs `body` one level deeper; an error when that is too deep.
    pub(super) fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }
}

/// The number in a word such as `L12`.
pub(super) fn numbered(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    (digits.bytes().all(|b| b.is_ascii_digit()) && digits.len() <= 7).then(|| digits.parse().ok())?
}

/// Things that are given ids in any order, each once.
pub(super) struct Slots<I, T> {
    slots: Vec<Option<T>>,
    next: usize,
    /// Larger ids leave gaps for sure.
    limit: usize,
    id: std::marker::PhantomData<I>,
}

impl<I: Id, T> Slots<I, T> {
    /// For a text of that many tokens.
    pub(super) fn new(tokens: usize) -> Self {
        Slots { slots: vec![], next: 0, limit: tokens, id: std::marker::PhantomData }
    }

    /// Stores the thing under the id, or under the one after the last; `None` when that id is taken or
    /// too large.
    pub(super) fn put(&mut self, id: Option<I>, thing: T) -> Option<I> {
        let index = id.map_or(self.next, Id::index);
        if index >= self.limit {
            return None;
        }
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
        }
        if self.slots[index].is_some() {
            return None;
        }
        self.slots[index] = Some(thing);
        self.next = index + 1;
        Some(I::from_index(index))
    }

    /// All things, if no id was left out; else the first that was.
    pub(super) fn finish(self) -> Result<IndexVec<I, T>, I> {
        match self.slots.iter().position(Option::is_none) {
            Some(i) => Err(I::from_index(i)),
            None => Ok(self.slots.into_iter().flatten().collect()),
        }
    }
}
