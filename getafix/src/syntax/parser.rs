//! The parser of formula files, by recursive descent. How deep expressions may be nested is bounded.

use super::lexer::{Tok, tokens};
use super::{
    Access, Comparison, Expr, ExprKind, File, Item, Number, Param, Quantifier, Query, Relation, Term,
    TypeName,
};
use base::{Diagnostic, FileId, Span};
use bp::{Ident, Loc, Name};

/// How deep expressions and indices may be nested.
const MAX_DEPTH: usize = 400;

/// Words that cannot be names.
const RESERVED: [&str; 16] = [
    "and", "const", "early", "enum", "exists", "false", "forall", "mu", "not", "or", "query", "struct",
    "true", "type", "F", "T",
];

type Res<T> = Result<T, Diagnostic>;

/// Parses a formula file. `file` is where the places in the result and in the message lie.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(text: &str, file: FileId) -> Result<File, Diagnostic> {
    let tokens = tokens(text, file)?;
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let mut out = File::default();
    while parser.peek() != Tok::End {
        out.items.push(parser.item()?);
    }
    Ok(out)
}

struct Parser<'t> {
    tokens: Vec<(Tok<'t>, Span)>,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Tok<'t> {
        self.tokens[self.at].0
    }

    fn peek_at(&self, ahead: usize) -> Tok<'t> {
        self.tokens.get(self.at + ahead).map_or(Tok::End, |(tok, _)| *tok)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn loc(&self) -> Loc {
        Loc(Some(self.span()))
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::Word(word) => format!("`{}`", word.chars().take(60).collect::<String>()),
            Tok::Number(number) => format!("`{number}`"),
            Tok::Mark(mark) => format!("`{mark}`"),
            Tok::End => "the end of the file".to_owned(),
        };
        Diagnostic::error(self.span(), format!("expected {wanted}, found {found}"))
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek() == Tok::Word(word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn take(&mut self, mark: &'static str) -> bool {
        let found = self.peek() == Tok::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: &'static str) -> Res<()> {
        if self.take(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'t>) -> Res<T>) -> Res<T> {
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
            Tok::Word(word) if !RESERVED.contains(&word) => {
                let ident = Ident { name: Name::new(word), loc: self.loc() };
                self.advance();
                Ok(ident)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn number(&mut self) -> Res<Number> {
        if let Tok::Number(n) = self.peek() {
            self.advance();
            return Ok(Number::Literal(n));
        }
        Ok(Number::Const(self.ident("a number or a constant")?))
    }

    fn item(&mut self) -> Res<Item> {
        let loc = self.loc();
        let item = match self.peek() {
            Tok::Word("const") => {
                self.advance();
                let name = self.ident("the name of a constant")?;
                self.expect("=")?;
                Item::Const(name, self.number()?)
            }
            Tok::Word("type") => {
                self.advance();
                let name = self.ident("the name of a type")?;
                self.expect("=")?;
                Item::Type(name, self.type_name()?)
            }
            Tok::Word("enum") => {
                self.advance();
                let name = self.ident("the name of a type")?;
                self.expect("{")?;
                let mut values = vec![self.ident("a value")?];
                while self.take(",") {
                    values.push(self.ident("a value")?);
                }
                self.expect("}")?;
                Item::Enum(name, values)
            }
            Tok::Word("struct") => {
                self.advance();
                let name = self.ident("the name of a type")?;
                self.expect("{")?;
                let mut fields = vec![];
                while !self.take("}") {
                    let ty = self.type_name()?;
                    fields.push(self.param(ty)?);
                    self.expect(";")?;
                }
                Item::Struct(name, fields)
            }
            Tok::Word("query") => {
                self.advance();
                let early = self.take_word("early");
                Item::Query(Query { early, loc, expr: self.expr()? })
            }
            Tok::Word("mu" | "bool") => Item::Relation(self.relation()?),
            _ => return Err(self.unexpected("`mu`, `bool`, `query`, `const`, `type`, `enum` or `struct`")),
        };
        self.expect(";")?;
        Ok(item)
    }

    /// `mu bool R(T x, U y) = body`
    fn relation(&mut self) -> Res<Relation> {
        let mu = self.take_word("mu");
        if !self.take_word("bool") {
            return Err(self.unexpected("`bool`"));
        }
        let name = self.ident("the name of a relation")?;
        self.expect("(")?;
        let params = if self.take(")") {
            vec![]
        } else {
            let params = self.params()?;
            self.expect(")")?;
            params
        };
        // As Mucke has it, the sign may be left out.
        self.take("=");
        Ok(Relation { mu, name, params, body: self.expr()? })
    }

    fn type_name(&mut self) -> Res<TypeName> {
        let loc = self.loc();
        let range = matches!(self.peek(), Tok::Number(_)) || self.peek_at(1) == Tok::Mark("..");
        if !range {
            return Ok(TypeName::Named(self.ident("a type")?));
        }
        let low = self.number()?;
        self.expect("..")?;
        Ok(TypeName::Range(low, self.number()?, loc))
    }

    /// Variables; one without a type has that of the one before.
    fn params(&mut self) -> Res<Vec<Param>> {
        let ty = self.type_name()?;
        let mut out = vec![self.variable(ty)?];
        while self.take(",") {
            let typed = match (self.peek(), self.peek_at(1)) {
                (Tok::Number(_), _) | (_, Tok::Word(_)) => true,
                (_, mark) => mark == Tok::Mark(".."),
            };
            let ty = if typed { self.type_name()? } else { out[out.len() - 1].ty.clone() };
            out.push(self.variable(ty)?);
        }
        Ok(out)
    }

    /// A variable, perhaps with its role.
    fn variable(&mut self, ty: TypeName) -> Res<Param> {
        let param = self.param(ty)?;
        let role = if self.take("@") { Some(self.ident("the name of a role")?) } else { None };
        Ok(Param { role, ..param })
    }

    fn param(&mut self, ty: TypeName) -> Res<Param> {
        let name = self.ident("the name of a variable")?;
        let mut bounds = None;
        if self.take("[") {
            let low = self.number()?;
            self.expect("..")?;
            bounds = Some((low, self.number()?));
            self.expect("]")?;
        }
        Ok(Param { ty, name, bounds, role: None })
    }

    fn expr(&mut self) -> Res<Expr> {
        self.nested(Parser::iff)
    }

    fn iff(&mut self) -> Res<Expr> {
        let loc = self.loc();
        let left = self.implies()?;
        if !self.take("<->") {
            return Ok(left);
        }
        let right = self.implies()?;
        Ok(Expr { kind: ExprKind::Iff(Box::new(left), Box::new(right)), loc })
    }

    fn implies(&mut self) -> Res<Expr> {
        let loc = self.loc();
        let left = self.or()?;
        if !self.take("->") {
            return Ok(left);
        }
        let right = self.nested(Parser::implies)?;
        Ok(Expr { kind: ExprKind::Implies(Box::new(left), Box::new(right)), loc })
    }

    fn or(&mut self) -> Res<Expr> {
        let loc = self.loc();
        let mut list = vec![self.and()?];
        while self.take("|") || self.take("||") || self.take_word("or") {
            list.push(self.and()?);
        }
        Ok(joined(list, loc, ExprKind::Or))
    }

    fn and(&mut self) -> Res<Expr> {
        let loc = self.loc();
        let mut list = vec![self.unary()?];
        while self.take("&") || self.take("&&") || self.take_word("and") {
            list.push(self.unary()?);
        }
        Ok(joined(list, loc, ExprKind::And))
    }

    fn unary(&mut self) -> Res<Expr> {
        let loc = self.loc();
        if self.take("!") || self.take_word("not") {
            let inside = self.nested(Parser::unary)?;
            return Ok(Expr { kind: ExprKind::Not(Box::new(inside)), loc });
        }
        let quantifier = match self.peek() {
            Tok::Word("exists") => Quantifier::Exists,
            Tok::Word("forall") => Quantifier::Forall,
            _ => return self.atom(),
        };
        self.advance();
        let params = self.params()?;
        self.expect(".")?;
        let body = self.expr()?;
        Ok(Expr { kind: ExprKind::Quantified(quantifier, params, Box::new(body)), loc })
    }

    fn atom(&mut self) -> Res<Expr> {
        let loc = self.loc();
        if self.take("(") {
            let inside = self.expr()?;
            self.expect(")")?;
            return Ok(Expr { loc, ..inside });
        }
        if let (Tok::Word(_), Tok::Mark("(")) = (self.peek(), self.peek_at(1)) {
            let name = self.ident("the name of a relation")?;
            self.advance();
            let mut args = vec![];
            if !self.take(")") {
                args.push(self.term()?);
                while self.take(",") {
                    args.push(self.term()?);
                }
                self.expect(")")?;
            }
            return Ok(Expr { kind: ExprKind::Apply(name, args), loc });
        }
        let left = self.term()?;
        let comparison = match self.peek() {
            Tok::Mark("=" | "==") => Comparison::Eq,
            Tok::Mark("!=") => Comparison::Ne,
            Tok::Mark("<") => Comparison::Lt,
            Tok::Mark("<=") => Comparison::Le,
            Tok::Mark(">") => Comparison::Gt,
            Tok::Mark(">=") => Comparison::Ge,
            _ => {
                let kind = match left {
                    Term::Bool(value, _) => ExprKind::Const(value),
                    left => ExprKind::Holds(left),
                };
                return Ok(Expr { kind, loc });
            }
        };
        self.advance();
        let right = self.term()?;
        Ok(Expr { kind: ExprKind::Compare(comparison, left, right), loc })
    }

    fn term(&mut self) -> Res<Term> {
        let mut term = self.primary()?;
        while self.take("+") {
            let Tok::Number(n) = self.peek() else { return Err(self.unexpected("a number")) };
            self.advance();
            term = Term::Plus(Box::new(term), n);
        }
        Ok(term)
    }

    fn primary(&mut self) -> Res<Term> {
        let loc = self.loc();
        let value = match self.peek() {
            Tok::Number(n) => Term::Number(n, loc),
            Tok::Word("true" | "T") => Term::Bool(true, loc),
            Tok::Word("false" | "F") => Term::Bool(false, loc),
            _ => {
                let name = self.ident("a value")?;
                let mut path = vec![];
                loop {
                    // A point before a quantifier's body follows a name in the list of variables only.
                    if self.take(".") {
                        path.push(Access::Field(self.ident("the name of a field")?));
                    } else if self.take("[") {
                        let index = self.nested(Parser::term)?;
                        self.expect("]")?;
                        path.push(Access::Index(index));
                    } else {
                        return Ok(Term::Path(name, path));
                    }
                }
            }
        };
        self.advance();
        Ok(value)
    }
}

fn joined(mut list: Vec<Expr>, loc: Loc, kind: fn(Vec<Expr>) -> ExprKind) -> Expr {
    match list.len() {
        1 => list.pop().expect("the length is one"),
        _ => Expr { kind: kind(list), loc },
    }
}
