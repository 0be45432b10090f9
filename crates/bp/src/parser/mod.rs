//! The parser: recursive descent over the tokens, for the canonical form and what other tools write. It
//! builds the tree only; names are resolved and counted by [`crate::Cfg::build`]. It stops at the first error.
//!
//! Invariant: nesting (of statements and expressions together) is bounded by [`MAX_DEPTH`], so that walks
//! over a tree may recurse; sequences of statements are walked in loops.

mod comments;
mod expr;
mod precedence;
mod program;
mod stmt;

use crate::ast::{Program, StmtIds};
use crate::expr::Expr;
use crate::lexer::{self, Comment, Lexed, Tok, Token};
use crate::name::{self, Ident, Loc, Name};
use base::{Diagnostic, FileId, Span};

/// How deep statements and expressions may be nested.
pub const MAX_DEPTH: usize = 4000;

/// Longer names are cut off in messages about tokens.
const MOST_SHOWN: usize = 60;

pub use precedence::Dialect;

/// What the parser makes of a text: the program and warnings.
pub type Parsed = (Program, Vec<Diagnostic>);

type Res<T> = Result<T, Diagnostic>;

/// Parses a program. `file` is where the places in the result and in the messages lie.
///
/// # Errors
/// What is wrong, at least one error, each with its place.
pub fn parse(text: &str, file: FileId, dialect: Dialect) -> Result<Parsed, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, file, dialect)?;
    match parser.program() {
        Ok(program) => Ok((program, parser.warnings)),
        Err(error) => Err(vec![error]),
    }
}

/// Parses one expression, with C's precedences.
///
/// # Errors
/// What is wrong, at least one error, each with its place.
pub fn parse_expr(text: &str, file: FileId) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text, file, Dialect::C)?;
    let expr = parser.expr().and_then(|e| match parser.peek() {
        Tok::End => Ok(e),
        _ => Err(parser.unexpected("the end of the expression")),
    });
    expr.map_err(|error| vec![error])
}

struct Parser {
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// Which comments have their place in the tree.
    comments_taken: Vec<bool>,
    /// Comments before this one have been looked at.
    comments_at: usize,
    header: Vec<String>,
    at: usize,
    depth: usize,
    ids: StmtIds,
    dialect: Dialect,
    warnings: Vec<Diagnostic>,
}

impl Parser {
    fn new(text: &str, file: FileId, dialect: Dialect) -> Result<Parser, Vec<Diagnostic>> {
        let Lexed { tokens, comments, header, errors } = lexer::lex(text, file);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Parser {
            comments_taken: vec![false; comments.len()],
            comments_at: 0,
            tokens,
            comments,
            header,
            at: 0,
            depth: 0,
            ids: StmtIds::new(),
            dialect,
            warnings: vec![],
        })
    }

    fn peek(&self) -> &Tok {
        &self.tokens[self.at].tok
    }

    fn peek_second(&self) -> &Tok {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token taken last.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn at_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Tok::Mark(m) if *m == mark)
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Word(w) if w.as_str() == word)
    }

    fn at_any_word(&self, words: &[&str]) -> bool {
        matches!(self.peek(), Tok::Word(w) if words.contains(&w.as_str()))
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.at_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_mark(&mut self, mark: &str) -> Res<()> {
        if self.take_mark(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn expect_word(&mut self, word: &str) -> Res<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::Word(name) | Tok::Number(name) => match name.as_str().char_indices().nth(MOST_SHOWN) {
                None => format!("`{name}`"),
                Some((end, _)) => format!("`{}…`", &name.as_str()[..end]),
            },
            Tok::Mark(mark) => format!("`{mark}`"),
            Tok::End => "the end of the file".to_owned(),
        };
        Diagnostic::error(self.span(), format!("expected {wanted}, found {found}"))
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser) -> Res<T>) -> Res<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.span(), format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn ident(&mut self, what: &str) -> Res<Ident> {
        match self.peek() {
            Tok::Word(name) if !name::is_reserved(name.as_str()) => {
                let ident = Ident { name: name.clone(), loc: Loc(Some(self.span())) };
                self.advance();
                Ok(ident)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn idents(&mut self, what: &str) -> Res<Vec<Ident>> {
        let mut out = vec![self.ident(what)?];
        while self.take_mark(",") {
            out.push(self.ident(what)?);
        }
        Ok(out)
    }
}

/// The name of a label: a word or digits before a `:`.
fn label_name(tok: &Tok) -> Option<&Name> {
    match tok {
        Tok::Word(name) if !name::is_reserved(name.as_str()) => Some(name),
        Tok::Number(name) => Some(name),
        _ => None,
    }
}
