//! The parser: recursive descent over the tokens, for the canonical form and what other tools write. It
//! builds the tree only; names are resolved and counted by [`crate::Cfg::build`]. It stops at the first error.
//!
//! Invariant: nesting (of statements and expressions together) is bounded by [`MAX_DEPTH`], so that walks
//! over a tree may recurse; sequences of statements are walked in loops.

mod comments;
mod expr;
mod pieces;
mod precedence;
mod program;
mod stmt;

use crate::ast::{Program, Stmt, StmtIds};
use crate::expr::Expr;
use crate::lexer::{Lexer, Tok, Token};
use crate::name::{self, Ident, Loc, Name};
use crate::words::Word;
use base::{Diagnostic, FileId, Span};
use rustc_hash::FxHashMap;

/// How deep statements and expressions may be nested.
pub const MAX_DEPTH: usize = 4000;

/// Stack of a thread, for what is nested as deeply as is allowed.
pub(crate) const STACK: usize = 256 << 20;

/// Longer names are cut off in messages about tokens.
const MOST_SHOWN: usize = 60;

pub use precedence::Dialect;

/// The result of parsing a text: the program and warnings.
pub type Parsed = (Program, Vec<Diagnostic>);

/// Small, since it is handed from function to function.
type Res<T> = Result<T, Box<Diagnostic>>;

/// Parses a program. `file` is where the places in the result and in the messages lie.
///
/// # Errors
/// What is wrong, at least one error, each with its place.
pub fn parse(text: &str, file: FileId, dialect: Dialect) -> Result<Parsed, Vec<Diagnostic>> {
    if let Some(parsed) = pieces::parse(text, file, dialect, pieces::wanted(text)) {
        return Ok(parsed);
    }
    let mut parser = Parser::new(Lexer::new(text, file), dialect);
    let program = parser.program();
    Ok((parser.finish(program)?, parser.warnings))
}

/// Parses one expression, with C's precedences.
///
/// # Errors
/// What is wrong, at least one error, each with its place.
pub fn parse_expr(text: &str, file: FileId) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(Lexer::new(text, file), Dialect::C);
    let expr = parser.expr().and_then(|e| match parser.peek() {
        Tok::End => Ok(e),
        _ => Err(parser.unexpected("the end of the expression")),
    });
    parser.finish(expr)
}

#[cold]
fn error(span: impl Into<Option<Span>>, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, message))
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token taken last, the next one, and the one after it: at the places `at - 1`, `at` and `at + 1`, modulo 4.
    window: [Token<'t>; 4],
    /// The number of the next token.
    at: usize,
    /// The names of the words seen so far; none for a reserved word.
    names: FxHashMap<&'t str, Option<Name>>,
    /// Statements of blocks that are not complete.
    open: Vec<Stmt>,
    /// Which comments have their place in the tree.
    comments_taken: Vec<bool>,
    /// Comments before this one have been examined.
    comments_at: usize,
    depth: usize,
    ids: StmtIds,
    dialect: Dialect,
    warnings: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn new(mut lexer: Lexer<'t>, dialect: Dialect) -> Parser<'t> {
        let (now, second) = (lexer.token(), lexer.token());
        let window = [now, second, now, now];
        Parser {
            lexer,
            window,
            at: 0,
            names: FxHashMap::default(),
            open: vec![],
            comments_taken: vec![],
            comments_at: 0,
            depth: 0,
            ids: StmtIds::new(),
            dialect,
            warnings: vec![],
        }
    }

    /// The result, unless the text contains errors of the lexer: then all of those are reported instead.
    fn finish<T>(&mut self, parsed: Res<T>) -> Result<T, Vec<Diagnostic>> {
        while self.lexer.token().tok != Tok::End {}
        if self.lexer.errors.is_empty() {
            parsed.map_err(|error| vec![*error])
        } else {
            Err(std::mem::take(&mut self.lexer.errors))
        }
    }

    #[inline]
    fn now(&self) -> &Token<'t> {
        &self.window[self.at % 4]
    }

    #[inline]
    fn second(&self) -> &Token<'t> {
        &self.window[(self.at + 1) % 4]
    }

    #[inline]
    fn peek(&self) -> Tok<'t> {
        self.now().tok
    }

    #[inline]
    fn peek_second(&self) -> Tok<'t> {
        self.second().tok
    }

    #[inline]
    fn span(&self) -> Span {
        self.now().span
    }

    /// The span of the token taken last; of the next one before any was taken.
    fn last_span(&self) -> Span {
        self.window[self.at.wrapping_sub(1) % 4].span
    }

    fn advance(&mut self) {
        if self.peek() != Tok::End {
            self.window[(self.at + 2) % 4] = self.lexer.token();
            self.at += 1;
        }
    }

    /// The name that a word or number stands for; none for a reserved word.
    fn name_of(&mut self, text: &'t str) -> Option<Name> {
        let made = || {
            if name::is_reserved(text) {
                return None;
            }
            Some(match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(inside) => Name::predicate(inside),
                None => Name::new(text),
            })
        };
        self.names.entry(text).or_insert_with(made).clone()
    }

    #[inline]
    fn at_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Tok::Mark(m) if m == mark)
    }

    #[inline]
    fn at_word(&self, word: Word) -> bool {
        self.now().word == word
    }

    #[inline]
    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    #[inline]
    fn take_word(&mut self, word: Word) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_mark(&mut self, mark: &str) -> Res<()> {
        if self.take_mark(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn expect_word(&mut self, word: Word) -> Res<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", word.text()))) }
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            Tok::Word(text) | Tok::Number(text) => {
                // A predicate may go over several lines.
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                match text.char_indices().nth(MOST_SHOWN) {
                    None => format!("`{text}`"),
                    Some((end, _)) => format!("`{}…`", &text[..end]),
                }
            }
            Tok::Mark(mark) => format!("`{mark}`"),
            Tok::End => "the end of the file".to_owned(),
        };
        error(self.span(), format!("expected {wanted}, found {found}"))
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'t>) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return Err(error(self.span(), format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn ident(&mut self, what: &str) -> Res<Ident> {
        if let Tok::Word(text) = self.peek()
            && let Some(name) = self.name_of(text)
        {
            let ident = Ident { name, loc: Loc(Some(self.span())) };
            self.advance();
            return Ok(ident);
        }
        Err(self.unexpected(what))
    }

    /// A label, of which the name is the next token.
    fn label_ident(&mut self) -> Option<Ident> {
        let (Tok::Word(text) | Tok::Number(text)) = self.peek() else { return None };
        let ident = Ident { name: self.name_of(text)?, loc: Loc(Some(self.span())) };
        self.advance();
        Some(ident)
    }

    fn idents(&mut self, what: &str) -> Res<Vec<Ident>> {
        let mut out = vec![self.ident(what)?];
        while self.take_mark(",") {
            out.push(self.ident(what)?);
        }
        Ok(out)
    }
}
