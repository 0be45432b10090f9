//! From text to syntax tree. The first mistake ends the parse, with its place.
//!
//! Invariant: nesting, of statements and expressions together, is bounded by [`MAX_DEPTH`], so that walks over
//! the tree may recurse.

mod expr;
mod stmt;

use crate::ast::{At, Class, Const, Field, Proc, Program, Type};
use crate::lexer::{Token, tokens};
use base::{Diagnostic, FileId, Span};

/// How deep statements and expressions may be nested.
pub const MAX_DEPTH: usize = 150;

/// Words that cannot be names.
const KEYWORDS: [&str; 22] = [
    "class", "static", "activate", "const", "void", "bool", "int", "new", "null", "true", "false", "this",
    "if", "else", "while", "assume", "assert", "return", "async", "atomic", "choose", "struct",
];

/// Parses a program.
///
/// # Errors
/// The first mistake, with its place.
pub fn parse(text: &str, file: FileId) -> Result<Program, Diagnostic> {
    let mut parser = Parser { tokens: tokens(text, file)?, at: 0, depth: 0 };
    let mut program = Program { consts: vec![], classes: vec![], at: parser.place() };
    loop {
        let at = parser.place();
        if parser.word("const") {
            parser.expect_word("int")?;
            let name = parser.name()?;
            parser.expect("=")?;
            let value = parser.expr()?;
            parser.expect(";")?;
            program.consts.push(Const { name, value, at });
        } else if parser.word("class") {
            program.classes.push(parser.class()?);
        } else if *parser.peek() == Token::End {
            return Ok(program);
        } else {
            return Err(parser.unexpected("`class` or `const`"));
        }
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_after(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn place(&self) -> At {
        At(self.span())
    }

    /// From `start` to the last token taken.
    fn since(&self, start: At) -> At {
        let last = self.tokens[self.at.saturating_sub(1)].1;
        At(if last.end >= start.0.start { start.0.to(last) } else { start.0 })
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        Diagnostic::error(self.span(), format!("expected {wanted}, found {}", self.peek().describe()))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    /// Takes the sign if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    /// Takes the word if it is next.
    fn word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.advance();
        }
        is
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Word(w) if !KEYWORDS.contains(&w.as_str()) => {
                let name = w.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Runs `inner` one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.span(), format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn class(&mut self) -> Parsed<Class> {
        let at = self.place();
        let mut class = Class { name: self.name()?, fields: vec![], procs: vec![], at };
        self.expect("{")?;
        while !self.sign("}") {
            self.member(&mut class)?;
        }
        self.sign(";");
        Ok(class)
    }

    fn member(&mut self, class: &mut Class) -> Parsed<()> {
        let (mut activate, mut is_static) = (false, false);
        loop {
            if self.word("activate") {
                activate = true;
            } else if self.word("static") {
                is_static = true;
            } else {
                break;
            }
        }
        let constructor = self.is_word(&class.name) && matches!(self.peek_after(1), Token::Sign("("));
        let result = if constructor || self.word("void") { None } else { Some(self.ty()?) };
        let at = self.place();
        if let Some(ty) = &result
            && !matches!(self.peek_after(1), Token::Sign("("))
        {
            if activate {
                return Err(Diagnostic::error(at.0, "`activate` stands before procedures only"));
            }
            return self.fields(class, is_static, ty);
        }
        let name = self.name()?;
        let params = self.params()?;
        let body = self.block()?;
        self.sign(";");
        class.procs.push(Proc { name, activate, is_static, result, constructor, params, body, at });
        Ok(())
    }

    fn fields(&mut self, class: &mut Class, is_static: bool, ty: &Type) -> Parsed<()> {
        loop {
            let at = self.place();
            class.fields.push(Field { is_static, ty: ty.clone(), name: self.name()?, at });
            if !self.sign(",") {
                return self.expect(";");
            }
        }
    }

    fn params(&mut self) -> Parsed<Vec<(Type, String)>> {
        let mut params = vec![];
        self.expect("(")?;
        while !self.sign(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            params.push((self.ty()?, self.name()?));
        }
        Ok(params)
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.word("bool") {
            return Ok(Type::Bool);
        }
        if self.word("int") {
            if !self.sign("[") {
                return Ok(Type::Int);
            }
            let lo = self.expr()?;
            self.expect("..")?;
            let hi = self.expr()?;
            self.expect("]")?;
            return Ok(Type::Range(Box::new(lo), Box::new(hi)));
        }
        match self.peek() {
            Token::Word(w) if !KEYWORDS.contains(&w.as_str()) => Ok(Type::Class(self.name()?)),
            _ => Err(self.unexpected("a type")),
        }
    }
}
