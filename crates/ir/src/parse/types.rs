//! Types and declarators of the program form.

use super::cursor::{Cursor, Names, Parsed};
use super::lexer::Token;
use crate::types::{DataModel, FloatType, FuncType, IntType, Type};
use base::Span;
use std::sync::Arc;

/// A parameter of a function declarator.
pub(super) struct Param {
    pub(super) ty: Type,
    pub(super) name: Option<(String, Span)>,
    pub(super) id: Option<usize>,
}

/// A declared name with its type; for a function its parameters with their names.
pub(super) struct Declared {
    pub(super) ty: Type,
    pub(super) name: Option<(String, Span)>,
    pub(super) params: Vec<Param>,
}

enum Suffix {
    Array(Option<u64>),
    Func(Vec<Param>, bool),
}

/// The names for reading types: the records, and the widths.
#[derive(Clone, Copy)]
pub(super) struct TypeNames<'a> {
    pub(super) names: &'a Names,
    pub(super) model: DataModel,
}

const TYPE_WORDS: [&str; 15] = [
    "void", "char", "short", "int", "long", "signed", "unsigned", "_Bool", "_BitInt", "__int128", "float",
    "double", "mathint", "struct", "union",
];

/// Whether a type begins here.
pub(super) fn starts_type(token: &Token) -> bool {
    matches!(token, Token::Word(w) if TYPE_WORDS.contains(&w.as_str()) || float_width(w).is_some())
}

fn float_width(word: &str) -> Option<u16> {
    word.strip_prefix("_Float")?.parse().ok()
}

impl TypeNames<'_> {
    /// A type name, as in a cast.
    pub(super) fn type_name(self, c: &mut Cursor) -> Parsed<Type> {
        let declared = self.declaration(c)?;
        if declared.name.is_some() { c.error("expected a type without a name") } else { Ok(declared.ty) }
    }

    /// A type with a declarator, whose name may be missing.
    pub(super) fn declaration(self, c: &mut Cursor) -> Parsed<Declared> {
        let base = self.specifier(c)?;
        self.declarator(c, base)
    }

    fn specifier(self, c: &mut Cursor) -> Parsed<Type> {
        if !starts_type(c.peek()) {
            return c.error("expected a type");
        }
        if c.accept_word("struct") || c.accept_word("union") {
            let name = c.word("the name of a record")?;
            return match self.names.records.get(name) {
                Some(r) => Ok(Type::Record(*r)),
                None => c.error(format!("no record is called '{name}'")),
            };
        }
        let (mut longs, mut sign, mut core) = (0u8, None, None);
        while let Token::Word(w) = c.peek()
            && starts_type(c.peek())
        {
            c.next();
            match w.as_str() {
                "signed" => sign = Some(true),
                "unsigned" => sign = Some(false),
                "long" => longs += 1,
                "_BitInt" => {
                    c.expect("(")?;
                    let bits = c.number("a width")?;
                    c.expect(")")?;
                    if !(1..=128).contains(&bits) {
                        return c.error("widths are 1 to 128");
                    }
                    core = Some(Core::Int(bits as u16));
                }
                word => core = Some(self.core(word, core)),
            }
        }
        self.arithmetic(c, longs, sign, core)
    }

    fn core(self, word: &str, before: Option<Core>) -> Core {
        match word {
            "void" => Core::Void,
            "mathint" => Core::Math,
            "_Bool" => Core::Bool,
            "char" => Core::Int(8),
            "short" => Core::Int(16),
            "__int128" => Core::Int(128),
            "float" => Core::Float(32),
            "double" => Core::Float(64),
            "int" => before.unwrap_or(Core::Int(32)),
            other => Core::Float(float_width(other).unwrap_or(64)),
        }
    }

    fn arithmetic(self, c: &Cursor, longs: u8, sign: Option<bool>, core: Option<Core>) -> Parsed<Type> {
        let signed = sign.unwrap_or(true);
        let long_bits = match (longs, self.model) {
            (1, DataModel::Ilp32) => 32,
            _ => 64,
        };
        match (core, longs, sign) {
            (Some(Core::Void), 0, None) => Ok(Type::Void),
            (Some(Core::Math), 0, None) => Ok(Type::Math),
            (Some(Core::Bool), 0, None) => Ok(Type::Int(IntType::BOOL)),
            (Some(Core::Float(bits)), 0, None) => Ok(Type::Float(FloatType { bits })),
            (Some(Core::Float(64)), 1, None) => Ok(Type::Float(FloatType { bits: 80 })),
            (None | Some(Core::Int(32)), 1 | 2, _) => Ok(Type::Int(IntType { bits: long_bits, signed })),
            (Some(Core::Int(bits)), 0, _) => Ok(Type::Int(IntType { bits, signed })),
            (None, 0, Some(_)) => Ok(Type::Int(IntType { bits: 32, signed })),
            _ => c.error("these words make no type"),
        }
    }

    fn declarator(self, c: &mut Cursor, mut base: Type) -> Parsed<Declared> {
        let mut length = 0;
        while c.accept("*") {
            c.bounded(&mut length)?;
            base = base.ptr_to();
        }
        if c.is("(") && !(starts_type(c.peek_at(1)) || matches!(c.peek_at(1), Token::Mark(")" | "..."))) {
            return self.parenthesized(c, base);
        }
        let mut declared = Declared { ty: base, name: None, params: vec![] };
        if let Token::Word(w) = c.peek() {
            declared.name = Some((w.clone(), c.span()));
            c.next();
        }
        let suffixes = self.suffixes(c)?;
        declared.ty = apply(declared.ty, &suffixes);
        if let Some(Suffix::Func(params, _)) = suffixes.into_iter().next() {
            declared.params = params;
        }
        Ok(declared)
    }

    /// `(declarator) suffixes`: the suffixes belong to the type of what stands in the parentheses, so they are
    /// read first.
    fn parenthesized(self, c: &mut Cursor, base: Type) -> Parsed<Declared> {
        c.expect("(")?;
        let inside = c.at;
        let mut open = 1;
        while open > 0 {
            match c.next() {
                Token::Mark("(") => open += 1,
                Token::Mark(")") => open -= 1,
                Token::End => return c.error("expected ')'"),
                _ => {}
            }
        }
        let base = apply(base, &self.suffixes(c)?);
        let after = std::mem::replace(&mut c.at, inside);
        let declared = c.nested(|c| self.declarator(c, base))?;
        c.expect(")")?;
        c.at = after;
        Ok(declared)
    }

    fn suffixes(self, c: &mut Cursor) -> Parsed<Vec<Suffix>> {
        let mut suffixes = vec![];
        let mut length = 0;
        loop {
            c.bounded(&mut length)?;
            if c.accept("[") {
                let len = if c.is("]") { None } else { Some(c.number("a length")?) };
                c.expect("]")?;
                suffixes.push(Suffix::Array(len));
            } else if c.accept("(") {
                let (params, variadic) = c.nested(|c| self.params(c))?;
                suffixes.push(Suffix::Func(params, variadic));
            } else {
                return Ok(suffixes);
            }
        }
    }

    /// Parameters up to the closing parenthesis.
    fn params(self, c: &mut Cursor) -> Parsed<(Vec<Param>, bool)> {
        let mut params = vec![];
        if c.accept(")") {
            return Ok((params, false));
        }
        if c.is_word("void") && matches!(c.peek_at(1), Token::Mark(")")) {
            c.next();
            c.next();
            return Ok((params, false));
        }
        loop {
            if c.accept("...") {
                c.expect(")")?;
                return Ok((params, true));
            }
            let declared = self.declaration(c)?;
            let id = if c.accept("#") { Some(c.number("the number of a variable")? as usize) } else { None };
            params.push(Param { ty: declared.ty, name: declared.name, id });
            if c.accept(")") {
                return Ok((params, false));
            }
            c.expect(",")?;
        }
    }
}

#[derive(Clone, Copy)]
enum Core {
    Void,
    Math,
    Bool,
    Int(u16),
    Float(u16),
}

fn apply(base: Type, suffixes: &[Suffix]) -> Type {
    suffixes.iter().rev().fold(base, |ty, suffix| match suffix {
        Suffix::Array(len) => Type::Array(Arc::new(ty), *len),
        Suffix::Func(params, variadic) => Type::Func(Arc::new(FuncType {
            ret: ty,
            params: params.iter().map(|p| p.ty.clone()).collect(),
            variadic: *variadic,
        })),
    })
}
