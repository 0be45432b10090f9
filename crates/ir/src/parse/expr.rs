//! Expressions and lvalues: C's grammar and typing rules, without side effects and calls.
//!
//! Two readings differ from C's so that the printed form keeps the tree: a cast of a parenthesised literal is a
//! cast (of a bare literal it is the converted constant), and operands of a comparison that have the same
//! narrow type are not promoted, which changes no outcome.

use super::cursor::{Cursor, Names, Parsed};
use super::error::ErrorKind;
use super::lexer::Token;
use super::types::{TypeNames, starts_type};
use crate::convert;
use crate::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use crate::print;
use crate::program::{ProcId, Program};
use crate::types::{IntType, Type};

/// The names for reading an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    pub(super) names: &'a Names,
    pub(super) proc: Option<ProcId>,
}

/// A parsed item: a place, or a value.
pub(super) enum Item {
    /// A location, of any type.
    Place(Lvalue),
    /// A value; `literal` when it is a bare literal, which C's rules may convert at once.
    Value { e: Expr, literal: bool },
}

impl Item {
    pub(super) fn value(e: Expr) -> Item {
        Item::Value { e, literal: false }
    }

    pub(super) fn literal(e: Expr) -> Item {
        Item::Value { e, literal: true }
    }

    fn is_literal(&self) -> bool {
        matches!(self, Item::Value { literal: true, .. })
    }
}

impl<'a> Scope<'a> {
    pub(super) fn types(self) -> TypeNames<'a> {
        TypeNames { names: self.names, model: self.program.model }
    }

    /// A scalar expression.
    pub(super) fn expr(self, c: &mut Cursor) -> Parsed<Expr> {
        let item = self.conditional(c)?;
        self.rvalue(c, item)
    }

    /// An expression where a value of type `ty` is expected: C's conversion by assignment.
    pub(super) fn converted(self, c: &mut Cursor, ty: &Type) -> Parsed<Expr> {
        let item = self.conditional(c)?;
        self.convert(c, item, ty)
    }

    pub(super) fn convert(self, c: &Cursor, item: Item, ty: &Type) -> Parsed<Expr> {
        let literal = item.is_literal();
        let e = self.rvalue(c, item)?;
        let from = e.ty();
        let void = |t: &Type| t.pointee() == Some(&Type::Void);
        match (&from, ty) {
            _ if from == *ty => Ok(e),
            (Type::Int(_) | Type::Float(_), Type::Int(i)) if *i == IntType::BOOL => {
                Ok(e.truthy().cast(ty.clone()))
            }
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_) | Type::Math) => {
                Ok(e.cast(ty.clone()))
            }
            (Type::Int(_), Type::Ptr(_)) if literal && e.is_zero() => Ok(e.cast(ty.clone())),
            (Type::Ptr(_), Type::Ptr(_)) if void(&from) || void(ty) => Ok(e.cast(ty.clone())),
            _ => c.error(format!(
                "a value of type '{}' is no '{}'",
                print::ty(self.program, &from),
                print::ty(self.program, ty)
            )),
        }
    }

    /// The value of a location; arrays decay, other aggregates have none.
    pub(super) fn rvalue(self, c: &Cursor, item: Item) -> Parsed<Expr> {
        match item {
            Item::Value { e, .. } => Ok(e),
            Item::Place(lv) => match lv.ty.clone() {
                Type::Array(elem, _) => Ok(lv.step(Access::Index(Expr::int(0)), (*elem).clone()).addr()),
                ty if ty.is_scalar() => Ok(lv.load()),
                ty => {
                    let message = format!("'{}' is not a scalar type", print::ty(self.program, &ty));
                    c.error_of(ErrorKind::NotScalar, message)
                }
            },
        }
    }

    pub(super) fn conditional(self, c: &mut Cursor) -> Parsed<Item> {
        c.nested(|c| {
            let condition = self.binary(c, 0)?;
            if !c.accept("?") {
                return Ok(condition);
            }
            let condition = self.rvalue(c, condition)?;
            let then = self.conditional(c)?;
            c.expect(":")?;
            let otherwise = self.conditional(c)?;
            let (a, b) = self.joined(c, then, otherwise, "?:", convert::compared)?;
            Ok(Item::value(Expr::Cond(Box::new(condition), Box::new(a), Box::new(b))))
        })
    }

    fn binary(self, c: &mut Cursor, least: u8) -> Parsed<Item> {
        let mut left = self.unary(c)?;
        let mut length = 0;
        while let Some(op) = binary_operator(c.peek()) {
            let own = print::precedence(op);
            if own < least {
                break;
            }
            c.bounded(&mut length)?;
            c.next();
            let right = c.nested(|c| self.binary(c, own + 1))?;
            left = Item::value(self.apply(c, op, left, right)?);
        }
        Ok(left)
    }

    fn apply(self, c: &Cursor, op: BinOp, l: Item, r: Item) -> Parsed<Expr> {
        match op {
            BinOp::And | BinOp::Or => Ok(Expr::binary(op, self.rvalue(c, l)?, self.rvalue(c, r)?)),
            BinOp::Shl | BinOp::Shr => {
                let (l, r) = (self.rvalue(c, l)?, self.rvalue(c, r)?);
                self.integers(c, op.symbol(), &[&l, &r])?;
                let promoted = convert::promoted(&l.ty());
                Ok(Expr::binary(op, l.cast(promoted), r))
            }
            BinOp::Add | BinOp::Sub => self.sum(c, op, l, r),
            _ => {
                let join = if op.is_comparison() { convert::compared } else { convert::common };
                let (l, r) = self.joined(c, l, r, op.symbol(), join)?;
                match op {
                    BinOp::Rem | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
                        self.integers(c, op.symbol(), &[&l, &r])?;
                    }
                    BinOp::Mul | BinOp::Div if l.ty().is_ptr() => {
                        let message = format!("'{}' cannot be applied to pointers", op.symbol());
                        return c.error_of(ErrorKind::Operands(op.symbol().to_owned()), message);
                    }
                    _ => {}
                }
                Ok(Expr::binary(op, l, r))
            }
        }
    }

    fn integers(self, c: &Cursor, what: &str, operands: &[&Expr]) -> Parsed<()> {
        match operands.iter().map(|e| e.ty()).find(|ty| !matches!(ty, Type::Int(_) | Type::Math)) {
            Some(ty) => {
                let message = format!("'{what}' cannot be applied to '{}'", print::ty(self.program, &ty));
                c.error_of(ErrorKind::Operands(what.to_owned()), message)
            }
            None => Ok(()),
        }
    }

    fn sum(self, c: &Cursor, op: BinOp, l: Item, r: Item) -> Parsed<Expr> {
        let right_is_literal = r.is_literal();
        let (le, re) = (self.rvalue(c, l)?, self.rvalue(c, r)?);
        match (le.ty(), re.ty(), op) {
            (Type::Ptr(_), Type::Ptr(_), BinOp::Sub) => {
                let ty = convert::difference_type(self.program.model);
                Ok(Expr::Binary(BinOp::PtrDiff, Box::new(le), Box::new(re), ty))
            }
            (Type::Ptr(_), Type::Int(_) | Type::Math, BinOp::Add) => Ok(Expr::binary(BinOp::PtrAdd, le, re)),
            (Type::Int(_) | Type::Math, Type::Ptr(_), BinOp::Add) => Ok(Expr::binary(BinOp::PtrAdd, re, le)),
            (Type::Ptr(_), Type::Int(_), BinOp::Sub) => {
                let index = match re {
                    Expr::Const(v, ty) if right_is_literal => Expr::Const(-v, ty),
                    e => {
                        let wide = e.cast(convert::difference_type(self.program.model));
                        let ty = wide.ty();
                        Expr::Unary(UnOp::Neg, Box::new(wide), ty)
                    }
                };
                Ok(Expr::binary(BinOp::PtrAdd, le, index))
            }
            _ => {
                let (l, r) =
                    self.joined(c, Item::value(le), Item::value(re), op.symbol(), convert::common)?;
                Ok(Expr::binary(op, l, r))
            }
        }
    }

    /// Both operands at their common type. Pointers keep their types, but a null literal takes the other's.
    fn joined(
        self,
        c: &Cursor,
        l: Item,
        r: Item,
        what: &str,
        join: fn(&Type, &Type) -> Option<Type>,
    ) -> Parsed<(Expr, Expr)> {
        let (null_l, null_r) = (l.is_literal(), r.is_literal());
        let (l, r) = (self.rvalue(c, l)?, self.rvalue(c, r)?);
        let (lt, rt) = (l.ty(), r.ty());
        let null = |e: &Expr, literal: bool| literal && e.is_zero();
        if lt.is_ptr() && null(&r, null_r) {
            return Ok((l, r.cast(lt)));
        }
        if rt.is_ptr() && null(&l, null_l) {
            return Ok((l.cast(rt), r));
        }
        if lt.is_ptr() && rt.is_ptr() {
            return Ok((l, r));
        }
        match join(&lt, &rt) {
            Some(ty) => Ok((l.cast(ty.clone()), r.cast(ty))),
            None => {
                let [left, right] = [&lt, &rt].map(|ty| print::ty(self.program, ty));
                let message = format!("'{what}' cannot be applied to '{left}' and '{right}'");
                c.error_of(ErrorKind::Operands(what.to_owned()), message)
            }
        }
    }

    /// A unary expression: a sign, a dereference, an address, a cast, or a postfix expression.
    pub(super) fn unary(self, c: &mut Cursor) -> Parsed<Item> {
        let Token::Mark(mark) = c.peek() else { return self.postfix(c) };
        match *mark {
            "-" if matches!(c.peek_at(1), Token::Integer(..) | Token::Real(..))
                || is_float_name(c.peek_at(1)) =>
            {
                c.next();
                let item = self.primary(c)?;
                Ok(negated_literal(item))
            }
            "-" | "~" | "!" => {
                c.next();
                let op = match *mark {
                    "-" => UnOp::Neg,
                    "~" => UnOp::BitNot,
                    _ => UnOp::Not,
                };
                let operand = c.nested(|c| self.unary(c))?;
                let operand = self.rvalue(c, operand)?;
                if op == UnOp::Not {
                    return Ok(Item::value(Expr::Unary(op, Box::new(operand), Type::INT)));
                }
                if op == UnOp::BitNot {
                    self.integers(c, mark, &[&operand])?;
                }
                let ty = convert::promoted(&operand.ty());
                if ty.is_ptr() {
                    return c.error("pointers have no sign");
                }
                Ok(Item::value(Expr::Unary(op, Box::new(operand.cast(ty.clone())), ty)))
            }
            "*" => {
                c.next();
                let pointer = c.nested(|c| self.unary(c))?;
                let pointer = self.rvalue(c, pointer)?;
                if !pointer.ty().is_ptr() {
                    return c.error("only pointers can be dereferenced");
                }
                Ok(Item::Place(Lvalue::deref(pointer)))
            }
            "&" => {
                c.next();
                match c.nested(|c| self.unary(c))? {
                    Item::Place(lv) => Ok(Item::value(lv.addr())),
                    item @ Item::Value { e: Expr::Func(..), .. } => Ok(item),
                    Item::Value { .. } => c.error("only locations have addresses"),
                }
            }
            "(" if starts_type(c.peek_at(1)) => self.cast(c),
            _ => self.postfix(c),
        }
    }

    fn cast(self, c: &mut Cursor) -> Parsed<Item> {
        c.expect("(")?;
        let to = self.types().type_name(c)?;
        c.expect(")")?;
        let operand = c.nested(|c| self.unary(c))?;
        let literal = operand.is_literal();
        let e = self.rvalue(c, operand)?;
        if !to.is_scalar() {
            return c.error("casts are between scalar types");
        }
        Ok(Item::value(match (e, &to) {
            (Expr::Const(v, Type::Int(_) | Type::Ptr(_)), Type::Ptr(_)) if literal => Expr::Const(v, to),
            (e @ Expr::Const(_, Type::Int(_)), Type::Int(i)) if literal && *i == IntType::BOOL => {
                e.truthy().cast(to)
            }
            (e @ Expr::Const(_, Type::Int(_)), Type::Int(_) | Type::Math) if literal => {
                let same = e.ty() == to;
                if same { e } else { e.cast(to) }
            }
            (Expr::Float(bits, _), Type::Float(_)) if literal => Expr::Float(bits, to),
            (e, Type::Int(i)) if *i == IntType::BOOL => Expr::Cast(Box::new(e.truthy()), to),
            (e, _) => Expr::Cast(Box::new(e), to),
        }))
    }
}

/// The pointer whose target an lvalue of function type is: what an indirect call goes through.
pub(super) fn function_pointer(item: Item) -> Option<Expr> {
    match item {
        Item::Place(Lvalue { base: Base::Deref(p), path, ty: Type::Func(_) }) if path.is_empty() => Some(*p),
        _ => None,
    }
}

fn is_float_name(token: &Token) -> bool {
    matches!(token, Token::Word(w) if w == "NAN" || w == "INFINITY")
}

fn negated_literal(item: Item) -> Item {
    match item {
        Item::Value { e: Expr::Const(v, Type::Int(i)), literal } => {
            Item::Value { e: Expr::Const(i.wrap(v.wrapping_neg()), Type::Int(i)), literal }
        }
        Item::Value { e: Expr::Float(bits, ty), literal } => {
            Item::Value { e: Expr::Float((-f64::from_bits(bits)).to_bits(), ty), literal }
        }
        other => other,
    }
}

/// The operator; `+` and `-` are those on numbers until the operands are known.
fn binary_operator(token: &Token) -> Option<BinOp> {
    let Token::Mark(mark) = token else { return None };
    Some(match *mark {
        "+" => BinOp::Add,
        "-" => BinOp::Sub,
        "*" => BinOp::Mul,
        "/" => BinOp::Div,
        "%" => BinOp::Rem,
        "&" => BinOp::BitAnd,
        "|" => BinOp::BitOr,
        "^" => BinOp::BitXor,
        "<<" => BinOp::Shl,
        ">>" => BinOp::Shr,
        "==" => BinOp::Eq,
        "!=" => BinOp::Ne,
        "<" => BinOp::Lt,
        "<=" => BinOp::Le,
        ">" => BinOp::Gt,
        ">=" => BinOp::Ge,
        "&&" => BinOp::And,
        "||" => BinOp::Or,
        _ => return None,
    })
}
