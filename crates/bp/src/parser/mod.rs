//! The parser: recursive descent over the tokens, for the canonical form and what other tools write. It
//! builds the tree only; names are resolved and counted by [`crate::Cfg::build`]. It stops at the first error.
//!
//! Invariant: nesting (of statements and expressions together) is bounded by [`MAX_DEPTH`], so that walks
//! over a tree may recurse; sequences of statements are walked in loops.

mod expr;
mod stmt;

use crate::ast::{Proc, Program, Stmt, StmtIds, StmtKind};
use crate::expr::Expr;
use crate::lexer::{self, Lexed, Tok, Token};
use crate::name::{self, Ident, Loc, Name};
use base::{Diagnostic, FileId, Span};

/// How deep statements and expressions may be nested.
pub const MAX_DEPTH: usize = 4000;

/// How a mix of `=` or `!=` with `&`, `|` or `^` without parentheses is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// It is an error: tools disagree about it.
    #[default]
    Strict,
    /// As in C: `=` binds more tightly.
    C,
}

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
    comments: Vec<String>,
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
        let (ids, warnings) = (StmtIds::new(), vec![]);
        Ok(Parser { tokens, comments, header, at: 0, depth: 0, ids, dialect, warnings })
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
            Tok::Word(name) | Tok::Number(name) => format!("`{name}`"),
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

    /// The comment on the line of the token taken last, split into comment and origin.
    fn trailing_comment(&self) -> (Option<String>, Option<String>) {
        let token = &self.tokens[self.at.saturating_sub(1)];
        let Some(text) = token.comment.map(|i| self.comments[i as usize].as_str()) else {
            return (None, None);
        };
        let some = |s: &str| Some(s.trim().to_owned()).filter(|s| !s.is_empty());
        if let Some(origin) = text.strip_prefix('@') {
            return (None, some(origin));
        }
        match text.rfind("// @") {
            Some(i) => (some(&text[..i]), some(&text[i + 4..])),
            None => (some(text), None),
        }
    }

    fn program(&mut self) -> Res<Program> {
        let mut program = Program { header: std::mem::take(&mut self.header), ..Program::default() };
        loop {
            match self.peek() {
                Tok::End => return Ok(program),
                Tok::Mark(";") => self.advance(),
                Tok::Word(w) if w.as_str() == "decl" => {
                    self.advance();
                    program.globals.extend(self.idents("a variable")?);
                    self.expect_mark(";")?;
                }
                Tok::Word(w)
                    if matches!(w.as_str(), "thread" | "init")
                        && !matches!(self.peek_second(), Tok::Mark("(")) =>
                {
                    return Err(concurrent(self.span(), &format!("`{w}`")));
                }
                _ => program.procs.push(self.proc()?),
            }
        }
    }

    fn proc(&mut self) -> Res<Proc> {
        let returns = self.result_type()?;
        let mut proc = Proc::new(self.ident("a procedure or `decl`")?);
        self.expect_mark("(")?;
        if !self.at_mark(")") {
            proc.formals = self.idents("a formal parameter")?;
        }
        self.expect_mark(")")?;
        self.enforce(&mut proc)?;
        self.dfs();
        self.expect_word("begin")?;
        (proc.comment, proc.origin) = self.trailing_comment();
        while self.take_word("decl") {
            proc.locals.extend(self.idents("a variable")?);
            self.expect_mark(";")?;
        }
        self.enforce(&mut proc)?;
        proc.body = self.stmts()?;
        self.expect_word("end")?;
        proc.returns = returns.unwrap_or_else(|| most_returned(&proc.body));
        Ok(proc)
    }

    /// The number of results that the header states, if it states one.
    fn result_type(&mut self) -> Res<Option<usize>> {
        if self.take_word("void") {
            return Ok(Some(0));
        }
        if !self.take_word("bool") {
            return Ok(None);
        }
        if !self.take_mark("<") {
            return Ok(Some(1));
        }
        let count = match self.peek() {
            Tok::Number(n) => n.as_str().parse::<usize>().ok().filter(|n| *n <= 1_000_000),
            _ => None,
        };
        let Some(count) = count else { return Err(self.unexpected("a number of results")) };
        self.advance();
        self.expect_mark(">")?;
        Ok(Some(count))
    }

    fn enforce(&mut self, proc: &mut Proc) -> Res<()> {
        while self.take_word("enforce") {
            let e = self.expr()?;
            self.take_mark(";");
            proc.enforce = Some(match proc.enforce.take() {
                None => e,
                Some(before) => Expr::and([before, e]),
            });
        }
        Ok(())
    }

    fn dfs(&mut self) {
        if self.at_word("dfs") {
            self.warnings.push(Diagnostic::warning(self.span(), "`dfs` is ignored"));
            self.advance();
        }
    }
}

fn concurrent(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(span, format!("{what} belongs to a concurrent program; only sequential ones are read"))
}

/// The largest number of values that a `return` in the body gives.
fn most_returned(body: &[Stmt]) -> usize {
    let mut most = 0;
    let mut stack: Vec<&Stmt> = body.iter().collect();
    while let Some(stmt) = stack.pop() {
        if let StmtKind::Return(values) = &stmt.kind {
            most = most.max(values.len());
        }
        stack.extend(stmt.children());
    }
    most
}

/// The name of a label: a word or digits before a `:`.
fn label_name(tok: &Tok) -> Option<&Name> {
    match tok {
        Tok::Word(name) if !name::is_reserved(name.as_str()) => Some(name),
        Tok::Number(name) => Some(name),
        _ => None,
    }
}
