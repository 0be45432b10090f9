//! Parser from text to rules. It stops at the first error, which is reported with its place.

mod expressions;

use crate::ast::{
    BinaryOp, Condition, Constant, Declaration, Event, EventKind, Expr, ExprKind, Handler, Literal, Name,
    Operand, Rank, Rule, Stmt, StmtKind, Type, Variable, Watch,
};
use crate::lexer::{Token, tokens};
use base::{Diagnostic, FileId, Span};

/// Nested statements and expressions come no deeper.
const DEPTH: usize = 100;

/// Words that cannot be names.
const RESERVED: [&str; 22] = [
    "state", "watch", "watched", "when", "if", "else", "abort", "halt", "enum", "bool", "_Bool", "char",
    "short", "int", "long", "signed", "unsigned", "void", "while", "for", "return", "program",
];

type Res<T> = Result<T, Diagnostic>;

/// Reads a rule.
///
/// # Errors
/// The first mistake.
pub fn parse(text: &str, file: FileId) -> Result<Rule, Diagnostic> {
    let tokens = tokens(text, file)?;
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let mut rule = Rule::default();
    while *parser.token() != Token::End {
        parser.item(&mut rule)?;
    }
    Ok(rule)
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// From the start of a place to the end of the last token.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].1)
    }

    fn next(&mut self) -> (Token, Span) {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn expected<T>(&self, what: &str) -> Res<T> {
        let found = match self.token() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(n) => format!("`{}`", n.value),
            Token::Text(_) => "a text".into(),
            Token::Operand(_) => "a value of a call".into(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end of the file".into(),
        };
        Err(Diagnostic::error(self.span(), format!("expected {what}, found {found}")))
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.token(), Token::Mark(m) if *m == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(w) if w == word)
    }

    fn accept(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.next();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn mark(&mut self, mark: &str) -> Res<()> {
        if self.accept(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn name(&mut self, what: &str) -> Res<Name> {
        match self.token() {
            Token::Word(word) if !RESERVED.contains(&word.as_str()) => {
                let text = word.clone();
                let (_, span) = self.next();
                Ok(Name { text, span })
            }
            _ => self.expected(what),
        }
    }

    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= DEPTH {
            return Err(Diagnostic::error(self.span(), "statements or expressions are nested too deeply"));
        }
        self.depth += 1;
        let answer = f(self);
        self.depth -= 1;
        answer
    }

    fn item(&mut self, rule: &mut Rule) -> Res<()> {
        if self.accept_word("state") {
            self.mark("{")?;
            while !self.accept("}") {
                rule.state.push(self.declaration()?);
            }
            return Ok(());
        }
        if self.accept_word("watch") {
            loop {
                rule.watch.push(self.watch()?);
                if !self.accept(",") {
                    return self.mark(";");
                }
            }
        }
        if !matches!(self.token(), Token::Word(_)) {
            return self.expected("`state`, `watch` or an event such as `fopen.exit`");
        }
        rule.handlers.push(self.handler()?);
        Ok(())
    }

    fn declaration(&mut self) -> Res<Declaration> {
        let start = self.span();
        let (mut constants, mut variable) = (vec![], None);
        if self.accept_word("enum") {
            self.mark("{")?;
            while !self.accept("}") {
                let name = self.name("the name of a constant")?;
                let value = if self.accept("=") { Some(self.expression()?) } else { None };
                constants.push(Constant { name, value });
                if !self.accept(",") {
                    self.mark("}")?;
                    break;
                }
            }
            if !self.is_mark(";") {
                variable = Some(self.variable(Type::INT)?);
            }
        } else {
            let Some(ty) = self.ty()? else { return self.expected("a type") };
            variable = Some(self.variable(ty)?);
        }
        self.mark(";")?;
        Ok(Declaration { constants, variable, span: self.since(start) })
    }

    fn variable(&mut self, ty: Type) -> Res<Variable> {
        let name = self.name("the name of a variable")?;
        let initial = if self.accept("=") { Some(self.expression()?) } else { None };
        Ok(Variable { name, ty, initial })
    }

    /// A type, if one begins here.
    fn ty(&mut self) -> Res<Option<Type>> {
        if self.accept_word("bool") || self.accept_word("_Bool") {
            return Ok(Some(Type::Bool));
        }
        if self.accept_word("void") {
            self.mark("*")?;
            return Ok(Some(Type::Pointer));
        }
        let (mut any, mut signed, mut rank) = (false, true, Rank::Int);
        let mut longs = 0;
        while let Token::Word(word) = self.token() {
            match word.as_str() {
                "unsigned" => signed = false,
                "signed" | "int" => {}
                "char" => rank = Rank::Char,
                "short" => rank = Rank::Short,
                "long" => longs += 1,
                _ => break,
            }
            any = true;
            self.next();
        }
        rank = match (longs, rank) {
            (0, rank) => rank,
            (1, Rank::Int) => Rank::Long,
            (2, Rank::Int) => Rank::LongLong,
            _ => return self.expected("another type: there is no such type"),
        };
        Ok(any.then_some(Type::Int { rank, signed }))
    }

    fn watch(&mut self) -> Res<Watch> {
        let function = self.name("the name of a function")?;
        self.mark("(")?;
        let Token::Operand(object) = *self.token() else {
            return self.expected("the object: an argument such as $1, or $return");
        };
        let (_, span) = self.next();
        self.mark(")")?;
        Ok(Watch { function, object, span })
    }

    fn handler(&mut self) -> Res<Handler> {
        let mut events = vec![self.event()?];
        while self.accept(",") {
            events.push(self.event()?);
        }
        let guard = match self.accept_word("when") {
            true => {
                self.mark("(")?;
                let guard = self.expression()?;
                self.mark(")")?;
                Some(guard)
            }
            false => None,
        };
        if !self.is_mark("{") {
            return self.expected("`{`");
        }
        Ok(Handler { events, guard, body: self.statement()? })
    }

    fn event(&mut self) -> Res<Event> {
        let start = self.span();
        let kind = if self.accept_word("program") {
            self.mark(".")?;
            match self.token() {
                Token::Word(w) if w == "start" => EventKind::ProgramStart,
                Token::Word(w) if w == "end" => EventKind::ProgramEnd,
                _ => return self.expected("`start` or `end`"),
            }
        } else {
            let function = self.name("an event such as `fopen.exit`")?;
            self.mark(".")?;
            match self.token() {
                Token::Word(w) if w == "entry" => EventKind::Entry(function),
                Token::Word(w) if w == "exit" => EventKind::Exit(function),
                Token::Word(w) if w == "end" && function.text == "thread" => EventKind::ThreadEnd,
                _ => return self.expected("`entry` or `exit`"),
            }
        };
        self.next();
        Ok(Event { kind, span: self.since(start) })
    }

    fn statement(&mut self) -> Res<Stmt> {
        self.deeper(|p| {
            let start = p.span();
            let kind = p.statement_kind()?;
            Ok(Stmt { kind, span: p.since(start) })
        })
    }

    fn statement_kind(&mut self) -> Res<StmtKind> {
        if self.accept(";") {
            return Ok(StmtKind::Block(vec![]));
        }
        if self.accept("{") {
            let mut body = vec![];
            while !self.accept("}") {
                body.push(self.statement()?);
            }
            return Ok(StmtKind::Block(body));
        }
        if self.accept_word("if") {
            self.mark("(")?;
            let any = self.is_mark("*") && matches!(self.ahead(1), Token::Mark(")"));
            let condition = match any && self.accept("*") {
                true => Condition::Any,
                false => Condition::Of(self.expression()?),
            };
            self.mark(")")?;
            let yes = Box::new(self.statement()?);
            let no = match self.accept_word("else") {
                true => Some(Box::new(self.statement()?)),
                false => None,
            };
            return Ok(StmtKind::If(condition, yes, no));
        }
        if self.accept_word("abort") {
            let Token::Text(message) = self.token().clone() else {
                return self.expected("the message, a text in double quotes");
            };
            self.next();
            self.mark(";")?;
            return Ok(StmtKind::Abort(message));
        }
        if self.accept_word("halt") {
            self.mark(";")?;
            return Ok(StmtKind::Halt);
        }
        let kind = match self.ahead(1) {
            Token::Operand(Operand::Argument(n)) if self.is_mark("*") => {
                let n = *n;
                self.next();
                self.next();
                self.mark("=")?;
                StmtKind::Store(n, self.expression()?)
            }
            _ => self.assignment()?,
        };
        self.mark(";")?;
        Ok(kind)
    }

    fn assignment(&mut self) -> Res<StmtKind> {
        let name = self.name("a statement")?;
        let span = self.span();
        if self.accept("=") {
            return Ok(StmtKind::Assign(name, None, self.expression()?));
        }
        for (mark, op) in [("++", BinaryOp::Add), ("--", BinaryOp::Sub)] {
            if self.accept(mark) {
                let one = Literal { value: 1, hexadecimal: false, unsigned: false, long: false };
                return Ok(StmtKind::Assign(name, Some(op), Expr { kind: ExprKind::Number(one), span }));
            }
        }
        let op = BinaryOp::ALL.into_iter().find(|op| {
            let symbol = op.symbol();
            matches!(self.token(), Token::Mark(m) if m.strip_suffix('=') == Some(symbol))
                && !matches!(op, BinaryOp::Lt | BinaryOp::Gt)
        });
        match op {
            Some(op) => {
                self.next();
                Ok(StmtKind::Assign(name, Some(op), self.expression()?))
            }
            None => self.expected("`=`, `+=`, `++` or `--`"),
        }
    }
}
