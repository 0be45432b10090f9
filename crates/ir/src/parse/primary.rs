//! Names, literals, members and indices.

use super::cursor::{Cursor, Parsed};
use super::error::ErrorKind;
use super::expr::{Item, Scope};
use super::lexer::{Token, integer_type};
use crate::expr::{Access, BinOp, Expr, FloatOp, Lvalue, UnOp};
use crate::extent;
use crate::print;
use crate::types::{FloatType, Type};

impl Scope<'_> {
    pub(super) fn postfix(self, c: &mut Cursor) -> Parsed<Item> {
        let mut item = self.primary(c)?;
        let mut length = 0;
        loop {
            c.bounded(&mut length)?;
            if c.accept("[") {
                let index = self.expr(c)?;
                c.expect("]")?;
                item = Item::Place(self.indexed(c, item, index)?);
            } else if c.accept(".") {
                let Item::Place(lv) = item else { return c.error("only locations have members") };
                item = Item::Place(self.member(c, lv)?);
            } else if c.accept("->") {
                let pointer = self.rvalue(c, item)?;
                if !pointer.ty().is_ptr() {
                    return c.error("'->' needs a pointer");
                }
                item = Item::Place(self.member(c, Lvalue::deref(pointer))?);
            } else {
                return Ok(item);
            }
        }
    }

    fn indexed(self, c: &Cursor, item: Item, index: Expr) -> Parsed<Lvalue> {
        if !matches!(index.ty(), Type::Int(_) | Type::Math) {
            return c.error("an index is an integer");
        }
        match item {
            Item::Place(lv) if matches!(lv.ty, Type::Array(..)) => {
                let Type::Array(elem, _) = lv.ty.clone() else {
                    unreachable!("the guard admits only arrays")
                };
                Ok(lv.step(Access::Index(index), (*elem).clone()))
            }
            item => {
                let pointer = self.rvalue(c, item)?;
                if !pointer.ty().is_ptr() {
                    return c.error("only arrays and pointers can be indexed");
                }
                Ok(Lvalue::deref(Expr::binary(BinOp::PtrAdd, pointer, index)))
            }
        }
    }

    fn member(self, c: &mut Cursor, mut lv: Lvalue) -> Parsed<Lvalue> {
        let Type::Record(record) = lv.ty else { return c.error("only structs and unions have members") };
        let name = c.word("the name of a member")?;
        let Some(steps) = print::find_member(self.program, record, name) else {
            let member = name.to_owned();
            let kind = ErrorKind::NoMember { record: self.program.records[record].name.clone(), member };
            let message = format!("'{}' has no member '{name}'", print::ty(self.program, &lv.ty));
            return c.error_of(kind, message);
        };
        for (record, n) in steps {
            let ty = self.program.field(record, n).ty.clone();
            lv = lv.step(Access::Field(record, n), ty);
        }
        Ok(lv)
    }

    pub(super) fn primary(self, c: &mut Cursor) -> Parsed<Item> {
        let model = self.program.model;
        match c.peek() {
            Token::Integer(v, suffix, radix) => {
                let ty = integer_type(*v, *suffix, *radix, model);
                c.next();
                Ok(Item::literal(Expr::Const(ty.wrap(*v as i128), Type::Int(ty))))
            }
            Token::Real(v, bits) => {
                c.next();
                Ok(Item::literal(Expr::Float(v.to_bits(), Type::Float(FloatType { bits: *bits }))))
            }
            Token::Mark("(") => {
                c.next();
                let item = self.conditional(c)?;
                c.expect(")")?;
                Ok(match item {
                    Item::Value { e, .. } => Item::value(e),
                    place @ Item::Place(_) => place,
                })
            }
            Token::Word(word) => {
                let special = self.special_name(c, word)?;
                match special {
                    Some(item) => Ok(item),
                    None => self.name(c, word),
                }
            }
            _ => c.error("expected an expression"),
        }
    }

    fn special_name(self, c: &mut Cursor, word: &str) -> Parsed<Option<Item>> {
        let double = Type::Float(FloatType { bits: 64 });
        let item = match word {
            "NULL" => Item::literal(Expr::Const(0, Type::Void.ptr_to())),
            "INFINITY" => Item::literal(Expr::Float(f64::INFINITY.to_bits(), double)),
            "NAN" => Item::literal(Expr::Float(f64::NAN.to_bits(), double)),
            "old" if *c.peek_at(1) == Token::Mark("(") => {
                c.next();
                c.next();
                let e = self.expr(c)?;
                c.expect(")")?;
                return Ok(Some(Item::value(Expr::Old(Box::new(e)))));
            }
            "left" | "before" | "object" if *c.peek_at(1) == Token::Mark("(") => {
                return self.extent(c, word).map(Some);
            }
            _ if *c.peek_at(1) == Token::Mark("(")
                && let Some(op) = FloatOp::named(word) =>
            {
                c.next();
                c.next();
                let e = self.expr(c)?;
                if op.result(&e.ty()).is_none() {
                    return c.error(format!("'{}' has another operand", op.name()));
                }
                c.expect(")")?;
                return Ok(Some(Item::value(op.of(e))));
            }
            _ if *c.peek_at(1) == Token::Mark("(")
                && let Some(op) = BinOp::rounded(word) =>
            {
                c.next();
                c.next();
                let l = self.expr(c)?;
                c.expect(",")?;
                let r = self.expr(c)?;
                if l.ty() != r.ty() || !matches!(l.ty(), Type::Float(_)) {
                    return c.error(format!("'{word}' has two numbers of one type"));
                }
                c.expect(")")?;
                return Ok(Some(Item::value(Expr::binary(op, l, r))));
            }
            _ => return Ok(None),
        };
        c.next();
        Ok(Some(item))
    }

    /// `left(p)`, `before(p)`, or with the size of an element as the second operand; `object(p)`.
    fn extent(self, c: &mut Cursor, word: &str) -> Parsed<Item> {
        c.next();
        c.next();
        let pointer = self.expr(c)?;
        let ty = pointer.ty();
        if !ty.is_ptr() {
            return c.error(format!("'{word}' is asked of pointers"));
        }
        if word == "object" {
            c.expect(")")?;
            return Ok(Item::value(Expr::Unary(UnOp::Start, Box::new(pointer), Type::Void.ptr_to())));
        }
        let unit = if *c.peek() == Token::Mark(",") {
            c.next();
            let size = self.expr(c)?.as_const().and_then(|n| u64::try_from(n).ok());
            size.filter(|n| *n > 0)
        } else {
            extent::element_size(self.program, &ty)
        };
        let Some(unit) = unit else { return c.error("the size of an element is a positive number") };
        c.expect(")")?;
        let op = if word == "left" { UnOp::Left(unit) } else { UnOp::Before(unit) };
        let ty = extent::extent_type();
        Ok(Item::value(Expr::Unary(op, Box::new(pointer), ty)))
    }

    fn name(self, c: &mut Cursor, word: &str) -> Parsed<Item> {
        let item = if let Some(v) = self.names.var(self.proc, word) {
            Item::Place(self.program.lvalue(v))
        } else if let Some(p) = self.names.procs.get(word) {
            Item::value(Expr::Func(*p, Type::Func(self.program.procs[*p].ty.clone()).ptr_to()))
        } else {
            return c.error_of(ErrorKind::Undeclared, format!("'{word}' is not declared"));
        };
        c.next();
        Ok(item)
    }
}
